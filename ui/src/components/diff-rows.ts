import { diffArrays, diffWordsWithSpace } from "diff";
import { spellOut } from "../../../src/report/spell-out.ts";

/** A piece of a line; `changed` where the other side has something else. */
export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

export interface DiffSide {
  /** From 1. */
  readonly line: number;
  readonly parts: readonly DiffPart[];
}

/** One row of a side-by-side view; `gap` stands for lines that are the same on both sides. */
export type DiffRow =
  | { readonly kind: "same" | "changed"; readonly before: DiffSide; readonly after: DiffSide }
  | { readonly kind: "added"; readonly after: DiffSide }
  | { readonly kind: "removed"; readonly before: DiffSide }
  | { readonly kind: "gap"; readonly rows: readonly DiffRow[] };

/** The change of one text in rows, with characters that nobody would see spelled out. */
export function diffRows(before: string, after: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  const next = { before: 1, after: 1 };
  let removed: readonly string[] = [];
  for (const { value, added, removed: isRemoved } of diffArrays(splitLines(before), splitLines(after))) {
    if (isRemoved) {
      removed = value;
      continue;
    }
    rows.push(...pairLines(removed, added ? value : [], next));
    removed = [];
    if (added) continue;
    for (const text of value) rows.push({ kind: "same", ...bothSides(text, next) });
  }
  return [...rows, ...pairLines(removed, [], next)];
}

/** Leaves `context` rows around each change and folds the others. */
export function foldRows(rows: readonly DiffRow[], context = 3): readonly DiffRow[] {
  const near = new Set<number>();
  for (const [at, { kind }] of rows.entries()) {
    if (kind === "same") continue;
    for (let each = at - context; each <= at + context; each += 1) near.add(each);
  }
  const folded: DiffRow[] = [];
  let hidden: DiffRow[] = [];
  const close = () => {
    // a fold of one row would take as much room as the row
    if (hidden.length === 1) folded.push(...hidden);
    else if (hidden.length > 1) folded.push({ kind: "gap", rows: hidden });
    hidden = [];
  };
  for (const [at, row] of rows.entries()) {
    if (!near.has(at)) {
      hidden.push(row);
      continue;
    }
    close();
    folded.push(row);
  }
  close();
  return folded;
}

export interface DiffCount {
  readonly added: number;
  readonly removed: number;
}

/** Lines added and removed; a changed line is one of each. */
export function countChanges(rows: readonly DiffRow[]): DiffCount {
  const count = (...kinds: readonly DiffRow["kind"][]) =>
    rows.filter(({ kind }) => kinds.includes(kind)).length;
  return { added: count("added", "changed"), removed: count("removed", "changed") };
}

interface NextLines {
  before: number;
  after: number;
}

/** Lines that resemble each other stand side by side, in order; the others alone. */
function pairLines(
  removed: readonly string[],
  added: readonly string[],
  next: NextLines,
): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  const addLines = (until: number) => {
    for (; used < until; used += 1)
      rows.push({ kind: "added", after: side(added[used] ?? "", next, "after") });
  };
  let used = 0;
  for (const text of removed) {
    const match = findSimilar(text, added, used);
    if (match === undefined) {
      rows.push({ kind: "removed", before: side(text, next, "before") });
      continue;
    }
    addLines(match);
    rows.push(changedRow(text, added[match] ?? "", next));
    used = match + 1;
  }
  addLines(added.length);
  return rows;
}

const leastSimilarity = 0.5;
/** How far ahead a similar line is looked for: a rewritten document must not take minutes. */
const reach = 50;

function findSimilar(text: string, lines: readonly string[], from: number): number | undefined {
  let found: number | undefined;
  let most = 0;
  for (const [at, line] of lines.slice(from, from + reach).entries()) {
    const similarity = similarityOf(text, line);
    if (similarity < leastSimilarity || similarity <= most) continue;
    most = similarity;
    found = from + at;
  }
  return found;
}

/** Share of the words that both lines have, in [0, 1]. */
function similarityOf(one: string, other: string): number {
  const [ones, others] = [wordsOf(one), wordsOf(other)];
  if (ones.size + others.size === 0) return 0;
  const common = [...ones].filter((word) => others.has(word)).length;
  return (2 * common) / (ones.size + others.size);
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);

function changedRow(before: string, after: string, next: NextLines): DiffRow {
  const words = diffWordsWithSpace(before, after);
  const partsOf = (other: "added" | "removed"): readonly DiffPart[] =>
    words
      .filter((word) => !word[other])
      .map(({ value, added, removed }) => ({ text: show(value), changed: added || removed }));
  return {
    kind: "changed",
    before: { line: next.before++, parts: partsOf("added") },
    after: { line: next.after++, parts: partsOf("removed") },
  };
}

const bothSides = (text: string, next: NextLines) => ({
  before: side(text, next, "before"),
  after: side(text, next, "after"),
});

function side(text: string, next: NextLines, which: keyof NextLines): DiffSide {
  const line = next[which];
  next[which] += 1;
  return { line, parts: [{ text: show(text), changed: false }] };
}

// a carriage return that only one side has would be a change without a mark
const show = (text: string): string => spellOut(text).replace(/\r$/, "␍");

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
