import type { FileVersions } from "../core/offer/find-file-powers.ts";
import { type DiffLine, diffLines } from "../core/line-diff.ts";
import { spellOut } from "./spell-out.ts";

/**
 * The change of one file in the format of `git diff` and `patch`; empty if nothing changes. Invisible characters and
 * terminal controls are spelled out.
 */
export function unifiedDiff({ path, before, after }: FileVersions): string {
  if (before === after) return "";
  const names = [before === null ? "/dev/null" : `a/${path}`, after === null ? "/dev/null" : `b/${path}`];
  const hunks = cutHunks(compare(splitLines(before ?? ""), splitLines(after ?? "")));
  return [`--- ${names[0]}`, `+++ ${names[1]}`, ...hunks.flatMap(hunkLines)]
    .map((line) => `${line}\n`)
    .join("");
}

const context = 3;
const signs = { same: " ", added: "+", removed: "-" } as const;
// marks a last line without a line end, so that it differs from one with a line end
const unended = "\0no line end";

function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, last + unended];
}

function compare(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  if (old.length > 0 && now.length > 0) return diffLines(old.join("\n"), now.join("\n"));
  return [
    ...old.map((text): DiffLine => ({ kind: "removed", text })),
    ...now.map((text): DiffLine => ({ kind: "added", text })),
  ];
}

interface Hunk {
  /** Lines of each side before the hunk. */
  readonly oldBefore: number;
  readonly newBefore: number;
  readonly lines: DiffLine[];
}

function cutHunks(lines: readonly DiffLine[]): readonly Hunk[] {
  const near = new Set<number>();
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    for (let each = at - context; each <= at + context; each += 1) near.add(each);
  }
  const hunks: Hunk[] = [];
  let [old, now] = [0, 0];
  for (const [at, line] of lines.entries()) {
    if (near.has(at)) {
      if (at === 0 || !near.has(at - 1)) hunks.push({ oldBefore: old, newBefore: now, lines: [] });
      hunks.at(-1)?.lines.push(line);
    }
    if (line.kind !== "added") old += 1;
    if (line.kind !== "removed") now += 1;
  }
  return hunks;
}

function hunkLines({ oldBefore, newBefore, lines }: Hunk): readonly string[] {
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind !== kind).length;
  // an empty side is counted from the line before it
  const range = (before: number, length: number) => `${length === 0 ? before : before + 1},${length}`;
  return [
    `@@ -${range(oldBefore, count("added"))} +${range(newBefore, count("removed"))} @@`,
    ...lines.flatMap(({ kind, text }) =>
      text.endsWith(unended)
        ? [signs[kind] + spellOut(text.slice(0, -unended.length)), "\\ No newline at end of file"]
        : [signs[kind] + spellOut(text)],
    ),
  ];
}
