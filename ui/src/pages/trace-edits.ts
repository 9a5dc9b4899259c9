import type { Edit, RawPatch } from "../../../src/core/skill/edit.ts";

export interface TracedEdit {
  readonly edit: Edit;
  /** Analysts whose edits it came from, from 1. */
  readonly analysts: readonly number[];
  /** Its place in the ranking, from 1; missing when the ranking left it out. */
  readonly rank?: number;
}

export interface MergeLevel {
  readonly level: number;
  readonly edits: readonly TracedEdit[];
}

/** The merged edits by the last level at which they were merged, each with where it came from and what became of it. */
export function traceEdits(
  analysts: readonly RawPatch[],
  merged: readonly Edit[],
  selected: readonly Edit[],
): readonly MergeLevel[] {
  const levels = new Map<number, TracedEdit[]>();
  for (const edit of merged) {
    const place = selected.findIndex((one) => isSameEdit(one, edit));
    const traced = {
      edit,
      analysts: findAnalysts(edit, analysts),
      ...(place < 0 ? {} : { rank: place + 1 }),
    };
    const level = edit.mergeLevel ?? 0;
    levels.set(level, [...(levels.get(level) ?? []), traced]);
  }
  return [...levels].toSorted(([a], [b]) => b - a).map(([level, edits]) => ({ level, edits }));
}

/** The same words, or else the same tasks behind it: a merge may put it in other words. */
function findAnalysts(edit: Edit, analysts: readonly RawPatch[]): readonly number[] {
  const holding = (test: (one: Edit) => boolean): readonly number[] =>
    analysts.flatMap(({ edits }, at) => (edits.some(test) ? [at + 1] : []));
  const same = holding((one) => one.content === edit.content && one.target === edit.target);
  return same.length > 0 ? same : holding((one) => one.evidence.some((id) => edit.evidence.includes(id)));
}

// the target may have been made longer on the way, to name one place
const isSameEdit = (one: Edit, other: Edit): boolean =>
  one.op === other.op &&
  one.file === other.file &&
  one.content === other.content &&
  (one.content !== undefined || one.target === other.target);
