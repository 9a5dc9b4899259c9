import { flat, textWidth, toTerminal } from "./format.ts";

/** The place to draw lines: standard output, or something like it. Only we write control sequences to it. */
export interface ScreenOutput {
  readonly columns: number;
  write(text: string): unknown;
}

/** Lines at the bottom of a terminal that are redrawn again and again; printed text scrolls away above them. */
export interface Screen {
  /** Replaces the drawn lines in one write; writes nothing if nothing changed. */
  show(lines: readonly string[]): void;
  /** Prints above the drawn lines and redraws them, in one write. */
  print(text: string): void;
  /** Removes the drawn lines. */
  clear(): void;
  /** Leaves the lines on the screen and shows the cursor again; the next lines start fresh. */
  release(): void;
}

const hideCursor = "\u001B[?25l";
const showCursor = "\u001B[?25h";
const eraseBelow = "\u001B[0J";
const eraseRest = "\u001B[K";

export function openScreen(output: ScreenOutput): Screen {
  let drawn: readonly string[] = [];
  let drawnColumns = 0;
  let isHidden = false;

  /** Moves to the first drawn line; a window that became narrower has wrapped the lines that no longer fit. */
  const home = (): string => {
    const columns = Math.max(output.columns, 1);
    const height = drawn.reduce((sum, line) => sum + Math.max(Math.ceil(textWidth(line) / columns), 1), 0);
    return height === 0 ? "" : `\r\u001B[${height}A`;
  };
  const body = (lines: readonly string[]): string =>
    lines.map((line) => `${toTerminal(line)}${eraseRest}\n`).join("");
  const cursor = (hidden: boolean): string => {
    if (hidden === isHidden) return "";
    isHidden = hidden;
    return hidden ? hideCursor : showCursor;
  };
  const isDrawn = (lines: readonly string[]): boolean =>
    lines.length === drawn.length &&
    (lines.length === 0 || drawnColumns === output.columns) &&
    lines.every((line, at) => line === drawn[at]);

  function show(from: readonly string[]): void {
    const lines = from.map(flat);
    if (isDrawn(lines)) return;
    output.write(`${cursor(lines.length > 0)}${home()}${body(lines)}${eraseBelow}`);
    drawn = lines;
    drawnColumns = output.columns;
  }

  return {
    show,
    print(text) {
      const start = drawn.length === 0 ? "" : `${home()}${eraseBelow}`;
      output.write(`${start}${toTerminal(`${text}\n`)}${body(drawn)}`);
      drawnColumns = output.columns;
    },
    clear: () => show([]),
    release() {
      drawn = [];
      const text = cursor(false);
      if (text !== "") output.write(text);
    },
  };
}
