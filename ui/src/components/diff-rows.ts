import { diffArrays, diffWordsWithSpace } from "diff";
import { spellOut } from "../../../src/report/spell-out.ts";

/** A piece of a line; `changed` where the other side has something else. */
export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

/** Line numbers start at 1, on each side that has the line. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly before?: number;
  readonly after?: number;
  readonly parts: readonly DiffPart[];
}

/** `gap` stands for lines that are the same on both sides. */
export type DiffRow = DiffLine | { readonly kind: "gap"; readonly rows: readonly DiffLine[] };

type PlainLine = Pick<DiffLine, "kind" | "parts">;

/** The diff of a text line by line, with invisible characters spelled out. */
export function diffRows(before: string, after: string): readonly DiffLine[] {
  const lines: PlainLine[] = [];
  let removed: readonly string[] = [];
  for (const { value, added, removed: isRemoved } of diffArrays(splitLines(before), splitLines(after))) {
    if (isRemoved) {
      removed = value;
      continue;
    }
    lines.push(...pairLines(removed, added ? value : []));
    removed = [];
    if (!added) lines.push(...value.map((text) => plainLine("same", text)));
  }
  let [old, now] = [1, 1];
  return [...lines, ...pairLines(removed, [])].map((line) => ({
    ...line,
    ...(line.kind === "added" ? {} : { before: old++ }),
    ...(line.kind === "removed" ? {} : { after: now++ }),
  }));
}

/** Keeps `context` lines around each change and folds the others. */
export function foldRows(rows: readonly DiffLine[], context = 3): readonly DiffRow[] {
  const near = new Set<number>();
  for (const [at, { kind }] of rows.entries()) {
    if (kind === "same") continue;
    for (let each = at - context; each <= at + context; each += 1) near.add(each);
  }
  const folded: DiffRow[] = [];
  let hidden: DiffLine[] = [];
  const close = () => {
    // folding a single line wouldn't save room
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

/** Puts similar lines below each other, in order; the others stay alone. */
function pairLines(removed: readonly string[], added: readonly string[]): readonly PlainLine[] {
  const lines: PlainLine[] = [];
  const addLines = (until: number) => {
    lines.push(...added.slice(used, until).map((text) => plainLine("added", text)));
    used = Math.max(used, until);
  };
  let used = 0;
  for (const text of removed) {
    const match = findSimilar(text, added, used);
    if (match === undefined) {
      lines.push(plainLine("removed", text));
      continue;
    }
    addLines(match);
    lines.push(...changedLines(text, added[match] ?? ""));
    used = match + 1;
  }
  addLines(added.length);
  return lines;
}

const leastSimilarity = 0.5;
/** How far ahead to look for a similar line, so that a rewritten document doesn't take minutes. */
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

/** The share of words that both lines have, from 0 to 1. */
function similarityOf(one: string, other: string): number {
  const [ones, others] = [wordsOf(one), wordsOf(other)];
  if (ones.size + others.size === 0) return 0;
  const common = [...ones].filter((word) => others.has(word)).length;
  return (2 * common) / (ones.size + others.size);
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);

function changedLines(before: string, after: string): readonly PlainLine[] {
  const words = diffWordsWithSpace(before, after);
  return (["removed", "added"] as const).map((kind) => ({
    kind,
    parts: words
      .filter((word) => word[kind] || (!word.added && !word.removed))
      .map((word) => ({ text: show(word.value), changed: word[kind] })),
  }));
}

const plainLine = (kind: DiffLine["kind"], text: string): PlainLine => ({
  kind,
  parts: [{ text: show(text), changed: false }],
});

// show a carriage return that only one side has, or the change would be invisible
const show = (text: string): string => spellOut(text).replace(/\r$/, "␍");

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
