import { colors } from "./colors.ts";
import { flat, pad, pieces, textWidth } from "./format.ts";

/** Longer lines are hard to read, however wide the screen is. */
const mostColumns = 80;

/** Lines of at most `columns`, broken between words; every one begins with the indent. */
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

/** A long line, broken between words; what follows its first part stands further in, so that it cannot pass for a line. */
export const hang = (text: string, columns: number): readonly string[] =>
  breakLine(text, columns - 2).map((line, at) => (at === 0 ? line : `  ${line}`));

/** The parts of one long line, each of at most `columns`, with its spaces as they are. */
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

/** Names and what they stand for, in two columns; a long text goes on below itself. */
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

/** What was guessed, or is good to know, before a run begins; a long one goes on below itself. */
export const remarkLines = (label: "guess" | "note", text: string, columns: number): readonly string[] =>
  breakLine(text, columns - 7).map((line, at) => `${at === 0 ? marks[label] : "     "}  ${line}`);

const marks = { guess: colors.dim("guess"), note: colors.yellow("note ") } as const;
