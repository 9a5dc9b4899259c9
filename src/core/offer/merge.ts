import { diffLines } from "../line-diff.ts";

/** The text with the changes of both sides, or the places where they conflict. */
export type Merged =
  | { readonly kind: "merged"; readonly text: string }
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[] };

/** A place where both sides changed the same lines differently. */
export interface Conflict {
  /** The first of the live lines, from 1. */
  readonly line: number;
  readonly base: readonly string[];
  readonly live: readonly string[];
  readonly proposed: readonly string[];
  /** A reason other than that both sides changed the lines, as part of a sentence. */
  readonly reason?: string;
}

/**
 * Applies the changes from `base` to `proposed` to `live`, line by line. Lines that only one side changed become its
 * lines. If both changed the same or neighboring lines differently, nothing is chosen.
 */
export function mergeTexts(base: string, live: string, proposed: string): Merged {
  const [old, now, next] = [base.split("\n"), live.split("\n"), proposed.split("\n")];
  const [inLive, inProposed] = [placesOf(base, live), placesOf(base, proposed)];
  const merged: string[] = [];
  const conflicts: Conflict[] = [];
  let from: Places = { old: 0, now: 0, next: 0 };
  /** Merges everything before the next lines that all three share. */
  const settle = (to: Places): void => {
    const [was, mine, theirs] = [
      old.slice(from.old, to.old),
      now.slice(from.now, to.now),
      next.slice(from.next, to.next),
    ];
    if (isSame(was, theirs) || isSame(mine, theirs)) merged.push(...mine);
    else if (isSame(was, mine)) merged.push(...theirs);
    else conflicts.push({ line: from.now + 1, base: was, live: mine, proposed: theirs });
  };
  for (const [at, line] of old.entries()) {
    const [mine, theirs] = [inLive.get(at), inProposed.get(at)];
    if (mine === undefined || theirs === undefined) continue;
    settle({ old: at, now: mine, next: theirs });
    merged.push(line);
    from = { old: at + 1, now: mine + 1, next: theirs + 1 };
  }
  settle({ old: old.length, now: now.length, next: next.length });
  return conflicts.length === 0
    ? { kind: "merged", text: merged.join("\n") }
    : { kind: "conflict", conflicts };
}

interface Places {
  readonly old: number;
  readonly now: number;
  readonly next: number;
}

/** The position in the other text of each base line that stayed. */
function placesOf(base: string, other: string): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  let [old, now] = [0, 0];
  for (const { kind } of diffLines(base, other)) {
    if (kind === "same") places.set(old, now);
    if (kind !== "added") old += 1;
    if (kind !== "removed") now += 1;
  }
  return places;
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, at) => line === other[at]);
