import { judgeName } from "./secret-name.ts";
import { classes, isOrdinaryValue, looksRandom, wordShare } from "./secret-value.ts";
import type { Span } from "./span.ts";

/** Cells under a heading that names a secret: `| user | password |` and `id,secret` with their rows. */
export function findSecretCells(softened: string): readonly Span[] {
  const spans: Span[] = [];
  let columns: readonly Column[] = [];
  let divider = "";
  let start = 0;
  for (const line of softened.split("\n")) {
    const cells = divider === "" ? [] : cellsOf(line, divider);
    if (columns.length > 0 && cells.length === columns[0]?.of) {
      for (const { at, judged } of columns) {
        const cell = cells[at];
        if (cell !== undefined && isCellSecret(cell.text, judged))
          spans.push({
            start: start + cell.start,
            end: start + cell.start + cell.text.length,
            kind: "assignment",
          });
      }
    } else [columns, divider] = readHead(line);
    start += line.length + 1;
  }
  return spans;
}

interface Column {
  readonly at: number;
  /** The number of cells in a row. */
  readonly of: number;
  readonly judged: "password" | "token";
}

interface Cell {
  readonly start: number;
  readonly text: string;
}

function readHead(line: string): readonly [columns: readonly Column[], divider: string] {
  if (line.length > 400) return [[], ""];
  for (const divider of ["|", ",", "\t", ";"]) {
    if (!line.includes(divider)) continue;
    const cells = cellsOf(line, divider);
    const filled = divider === "|" ? cells.filter(({ text }) => text !== "") : cells;
    if (filled.length < 2 || filled.some(({ text }) => !/^[\p{L}\d][\p{L}\d _.-]{0,39}$/u.test(text)))
      continue;
    const columns = cells.flatMap(({ text }, at) => {
      const judged = judgeName(text);
      return judged === "password" || judged === "token" ? [{ at, of: cells.length, judged }] : [];
    });
    if (columns.length > 0) return [columns, divider];
  }
  return [[], ""];
}

function cellsOf(line: string, divider: string): readonly Cell[] {
  if (line.length > 2000) return [];
  const cells: Cell[] = [];
  let start = 0;
  for (const part of line.split(divider)) {
    const text = part.trim().replaceAll(/^["'`]|["'`]$/g, "");
    cells.push({ start: start + part.indexOf(text), text });
    start += part.length + 1;
  }
  return cells;
}

const isCellSecret = (text: string, judged: "password" | "token"): boolean =>
  !/\s/.test(text) &&
  !isOrdinaryValue(text) &&
  (looksRandom(text) ||
    (classes(text) >= 2 &&
      /\d/.test(text) &&
      (judged === "password" || (text.length >= 12 && wordShare(text) < 0.7))));
