import { stripVTControlCharacters } from "node:util";

export const percent = (score: number): string => `${(100 * score).toFixed(1)} %`;

/** `+52.7`, `−0.4`: a difference of scores in points. */
export const signedPoints = (difference: number): string =>
  `${difference < 0 ? "−" : "+"}${Math.abs(100 * difference).toFixed(1)}`;

export { duration, plural } from "../../report/format.ts";

/** `950`, `12.3k`, `4.6M`. */
export function short(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(count < 1e5 ? 1 : 0)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/** Columns of equal width; the last one is as long as it is. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
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

/** Cut at a number of columns, between characters and never inside an escape sequence; colours end with the text. */
export function fit(line: string, columns: number): string {
  if (textWidth(line) <= columns) return line;
  let [kept, room] = ["", Math.max(columns - 1, 0)];
  for (const [piece] of line.matchAll(escapeOrText)) {
    if (piece.startsWith(escape)) {
      kept += piece;
      continue;
    }
    for (const { segment } of graphemes.segment(piece)) {
      // what follows the first character that does not fit must not slip in
      if (charWidth(segment) > room) room = 0;
      else {
        kept += segment;
        room -= charWidth(segment);
      }
    }
  }
  return columns < 1 ? "" : `${kept}…`;
}

/** A text from elsewhere as one line: no control characters, no line breaks. */
export const oneLine = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (/^[\u0020-\u007E]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) columns += charWidth(segment);
  return columns;
}

const graphemes = new Intl.Segmenter();
const escape = "\u001B";
const escapeOrText = new RegExp(`${escape}\\[[\\d;?]*[A-Za-z]|(?:(?!${escape}\\[)[\\s\\S])+`, "g");
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}])/u;

/** Of one character as a person sees it: letters with accents are one, ideographs and emoji two. */
function charWidth(grapheme: string): number {
  if (/^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) || grapheme.includes("\uFE0F") ? 2 : 1;
}
