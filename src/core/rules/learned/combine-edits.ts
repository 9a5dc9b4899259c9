import type { Edit, Patch } from "../../skill/edit.ts";
import { inputWords } from "../../tasks/near-duplicates.ts";

/**
 * The edits of several analysts as one list, those with most tasks behind them first. Edits with nearly the same words
 * become one edit with the evidence of both. Each is tried by itself afterwards, so no model needs to merge them.
 */
export function combineEdits(patches: readonly Patch[]): readonly Edit[] {
  const combined: Edit[] = [];
  for (const edit of patches.flatMap(({ edits }) => edits)) {
    const at = combined.findIndex((other) => isSame(other, edit));
    const known = combined[at];
    if (known === undefined) combined.push(edit);
    else combined[at] = { ...known, evidence: [...new Set([...known.evidence, ...edit.evidence])] };
  }
  return combined.toSorted((a, b) => b.evidence.length - a.evidence.length);
}

function isSame(a: Edit, b: Edit): boolean {
  const isAdding = ({ op }: Edit) => op === "append" || op === "insert_after";
  if (isAdding(a) !== isAdding(b) || (!isAdding(a) && (a.op !== b.op || a.target !== b.target))) return false;
  const [words, others] = [new Set(inputWords(a.content ?? "")), new Set(inputWords(b.content ?? ""))];
  const shared = [...words].filter((word) => others.has(word)).length;
  const all = words.size + others.size - shared;
  return all === 0 || shared / all >= leastShared;
}

/** As a share of all words of both. */
const leastShared = 0.8;
