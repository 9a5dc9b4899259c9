import { isatty } from "node:tty";
import { readEnv } from "../config/env.ts";
import { spellOut } from "../report/spell-out.ts";

const escape = "\u001B";
interface Seal {
  /** Secret, so no foreign text can contain a mark. Groups of digits, as in any control sequence. */
  readonly digits: string;
  readonly marks: RegExp;
}
let made: Seal | undefined;
const mark = (code: number): string => `${escape}[${(made ??= makeSeal()).digits}${code}m`;

/** Made with the first mark, so output without colours doesn't wait for the system's randomness. */
function makeSeal(): Seal {
  const { randomInt } = process.getBuiltinModule("node:crypto");
  const digits = `${Array.from({ length: 4 }, () => randomInt(1000, 10_000)).join(";")};`;
  return { digits, marks: new RegExp(`(${escape}\\[${digits}\\d+m)`) };
}

/** Every other part is a mark. */
const splitAtMarks = (text: string): readonly string[] =>
  made === undefined ? [text] : text.split(made.marks);

type Paint = (text: string) => string;

/** Colours on a terminal only: a log or a file gets none unless FORCE_COLOR asks for them. */
export const colors = createColors(wantsColors(readEnv(), isatty(1)));

export function wantsColors(env: Readonly<Record<string, string | undefined>>, isTty: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTty && env["TERM"] !== "dumb";
}

/** Colours are written as marks. Only this process can make marks, and only `toTerminal` turns them into colours. */
export function createColors(isWanted: boolean) {
  const paint = (open: number, close: number): Paint => {
    if (!isWanted) return (text) => text;
    const [begin, end] = [mark(open), mark(close)];
    return (text) => `${begin}${text.replaceAll(end, end + begin)}${end}`;
  };
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  };
}

/** Text that is safe for a terminal: our own colours and no other control sequences. */
export const toTerminal = (text: string): string =>
  splitAtMarks(text)
    .map((part, at) => (at % 2 === 1 ? part.replace(made?.digits ?? "", "") : printable(part)))
    .join("");

/** The same with the marks kept, for counting columns and cutting lines. */
const splitMarks = (text: string): readonly string[] =>
  splitAtMarks(text).map((part, at) => (at % 2 === 1 ? part : printable(part)));

/** For a piece of text, which doesn't start a line, and whose final carriage return doesn't end one. */
const printable = (text: string): string =>
  spellOut(text)
    .replace(/^\uFEFF/, "<U+FEFF>")
    .replace(/\r$/, "<U+000D>");

/** A line of a diff in its color. */
export function paintLine(line: string): string {
  // a carriage return belongs to the line end, so it stays next to it
  const [, words = line, end = ""] = /^(.*?)(\r?)$/su.exec(line) ?? [];
  if (line.startsWith("+")) return colors.green(words) + end;
  return line.startsWith("-") ? colors.red(words) + end : line;
}

/** `+52.7`, `−0.4`: a difference of scores in points. */
export const signedPoints = (difference: number): string =>
  `${difference < 0 ? "−" : "+"}${Math.abs(100 * difference).toFixed(1)}`;

export { duration, plural, short } from "../report/format.ts";

/** Aligned columns; the last one isn't padded. */
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
    // after the first character that doesn't fit, a narrower one must not slip in
    if (width > room) room = 0;
    else {
      kept += piece;
      room -= width;
    }
  }
  return columns < 1 ? "" : `${kept}…`;
}

/** One row of a screen: line breaks and tabs become spaces. */
export const flat = (text: string): string => splitMarks(text.replaceAll(/[\n\r\t]+/g, " ")).join("");

/** The width of a text on a terminal, in columns. */
export function textWidth(text: string): number {
  if (/^[\u0020-\u007E]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { width } of pieces(text)) columns += width;
  return columns;
}

/** Characters as a person sees them, and marks, which have no width. */
export function* pieces(text: string): Generator<{ readonly piece: string; readonly width: number }> {
  for (const [at, part] of splitMarks(text).entries()) {
    if (at % 2 === 1) yield { piece: part, width: 0 };
    else
      for (const { segment } of graphemes().segment(part))
        yield { piece: segment, width: charWidth(segment) };
  }
}

let segmenter: Intl.Segmenter | undefined;
/** Made when first needed: it takes half as long as starting Node. */
const graphemes = (): Intl.Segmenter => (segmenter ??= new Intl.Segmenter());
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}])/u;

/** The width of one character as a person sees it: accented letters take one column, ideographs and emoji two. */
function charWidth(grapheme: string): number {
  if (/^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) || grapheme.includes("\uFE0F") ? 2 : 1;
}

/** Longer lines are hard to read even on a wide screen. */
const mostColumns = 80;

/** Lines of at most `columns`, broken between words; each begins with the indent. */
export function wrap(text: string, columns: number, indent = ""): readonly string[] {
  const width = Math.max(Math.min(columns, mostColumns) - indent.length, 20);
  const lines: string[] = [];
  let line = "";
  for (const word of flat(text).split(/\s+/)) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((one) => indent + one);
}

/** A long line, broken between words. Its continuation lines are indented, so they can't be mistaken for new lines. */
export const hang = (text: string, columns: number): readonly string[] =>
  breakLine(text, columns - 2).map((line, at) => (at === 0 ? line : `  ${line}`));

/** The parts of one long line, each of at most `columns`, with spaces kept. */
export function breakLine(from: string, columns: number): readonly string[] {
  const text = flat(from);
  if (textWidth(text) <= columns) return [text];
  const width = Math.max(columns, 10);
  const lines: string[] = [];
  let [line, used] = ["", 0];
  const end = () => {
    if (line !== "") lines.push(line);
    [line, used] = ["", 0];
  };
  const add = (piece: string, columns: number) => {
    line += piece;
    used += columns;
  };
  for (const word of text.match(/\s*\S+|\s+$/g) ?? []) {
    const taken = textWidth(word);
    if (used + taken <= width) {
      add(word, taken);
      continue;
    }
    end();
    for (const { piece, width: columns } of pieces(lines.length === 0 ? word : word.trimStart())) {
      if (used + columns > width) end();
      add(piece, columns);
    }
  }
  return [...lines, line];
}

/** Names and values in two columns; a long value continues below itself. */
export function facts(
  rows: readonly (readonly [name: string, text: string])[],
  columns: number,
): readonly string[] {
  const width = Math.max(...rows.map(([name]) => textWidth(name)), 0);
  return rows.flatMap(([name, text]) => {
    const [first = "", ...rest] = breakLine(text, columns - width - 4);
    return [`  ${pad(name, width)}  ${first}`, ...rest.map((line) => `${" ".repeat(width + 4)}${line}`)];
  });
}

/** A guess, or something good to know, before a run begins; a long one continues below itself. */
export const remarkLines = (label: "guess" | "note", text: string, columns: number): readonly string[] =>
  breakLine(text, columns - 7).map((line, at) => `${at === 0 ? marks[label] : "     "}  ${line}`);

const marks = { guess: colors.dim("guess"), note: colors.yellow("note ") } as const;
