import { percent } from "../measure/percent.ts";
import type { Standing } from "./standing.ts";

/** A baseline at or above this leaves nothing to learn. */
const headroom = 0.95;

/** Why the search should not go on, or undefined: the original is nearly perfect, or nothing can beat the incumbent. */
export function nothingToGain({ current, best, gate }: Standing): string | undefined {
  if (current.score === null) return undefined;
  if (best.step === 0 && current.score >= headroom) {
    return `the original already reaches ${percent(current.score)} on val, so there is nothing to learn here`;
  }
  // only a strictly greater score is accepted there
  const needsMore = gate.kind === "strict";
  return needsMore && current.score >= 1
    ? "the skill solves every val task, so nothing can do better there"
    : undefined;
}
