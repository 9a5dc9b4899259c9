import { flat, textWidth, toTerminal } from "./format.ts";

/** Where lines are drawn: standard output, or something that looks like it. Its control sequences are ours alone. */
export interface ScreenOutput {
  readonly columns: number;
  write(text: string): unknown;
}

/** Lines at the lower end of a terminal that are drawn again and again; what is printed scrolls away above them. */
export interface Screen {
  /** Replaces the drawn lines: one write, and none when nothing changed. */
  show(lines: readonly string[]): void;
  /** Writes above the drawn lines, with them in one write. */
  print(text: string): void;
  /** Takes the drawn lines away. */
  clear(): void;
  /** Leaves the lines as they are and gives the cursor back; the next lines are drawn afresh. */
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

  /** To the first drawn line; a window that became narrower has broken the lines that no longer fit. */
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
