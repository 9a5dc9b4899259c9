import { searchP } from "./claim-p.ts";
import { type ClaimPair, type FinishedPair, fillPairs, isFinished } from "./claim-pair.ts";

export type StopDecision = "accept" | "reject" | "continue";

// with more than 52 moved tasks p is rounded; a decision this close to alpha waits for the last result
const rounding = 1e-12;

/**
 * Whether the missing trials can no longer change the test's decision. The p never rises when a trial favors the
 * candidate, so the two extremes bound it. The decision always equals that of the full evaluation.
 */
export function earlyStop(
  pairs: readonly ClaimPair[],
  alpha: number,
  test: (pairs: readonly FinishedPair[]) => number = searchP,
): StopDecision {
  if (pairs.every(isFinished)) return pairs.length > 0 && test(pairs) <= alpha ? "accept" : "reject";
  if (test(fillPairs(pairs, "best")) > alpha + rounding) return "reject";
  if (test(fillPairs(pairs, "worst")) <= alpha - rounding) return "accept";
  return "continue";
}
