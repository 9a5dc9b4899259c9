import { splitMarks } from "./colors.ts";

/** `+52.7`, `−0.4`: a difference of scores in points. */
export const signedPoints = (difference: number): string =>
  `${difference < 0 ? "−" : "+"}${Math.abs(100 * difference).toFixed(1)}`;

export { duration, plural, short } from "../report/format.ts";

/** Columns of equal width; the last one is as long as it is. */
export function table(cells: readonly (readonly string[])[]): readonly string[] {
  const rows = cells.map((row) => row.map(flat));
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textWidth(cell));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : pad(cell, widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

export const pad = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(columns - textWidth(text), 0));

/** Cut at a number of columns, between characters and never inside a mark; colours end with the text. */
export function fit(text: string, columns: number): string {
  const line = flat(text);
  if (textWidth(line) <= columns) return line;
  let [kept, room] = ["", Math.max(columns - 1, 0)];
  for (const { piece, width } of pieces(line)) {
    // what follows the first character that does not fit must not slip in
    if (width > room) room = 0;
    else {
      kept += piece;
      room -= width;
    }
  }
  return columns < 1 ? "" : `${kept}…`;
}

/** One row of a screen, whatever stands in the text: what would break it becomes a space. */
export const flat = (text: string): string => splitMarks(text.replaceAll(/[\n\r\t]+/g, " ")).join("");

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (/^[\u0020-\u007E]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { width } of pieces(text)) columns += width;
  return columns;
}

/** Characters as a person sees them, and marks, which take no room. */
export function* pieces(text: string): Generator<{ readonly piece: string; readonly width: number }> {
  for (const [at, part] of splitMarks(text).entries()) {
    if (at % 2 === 1) yield { piece: part, width: 0 };
    else
      for (const { segment } of graphemes().segment(part))
        yield { piece: segment, width: charWidth(segment) };
  }
}

let segmenter: Intl.Segmenter | undefined;
/** Made when a text needs it: that takes as long as half of the start of Node. */
const graphemes = (): Intl.Segmenter => (segmenter ??= new Intl.Segmenter());
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}])/u;

/** Of one character as a person sees it: letters with accents are one, ideographs and emoji two. */
function charWidth(grapheme: string): number {
  if (/^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) || grapheme.includes("\uFE0F") ? 2 : 1;
}
