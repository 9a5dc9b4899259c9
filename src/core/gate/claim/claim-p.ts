import { type FinishedPair, countUnits, differences, unitSums } from "./claim-pair.ts";
import { signFlipP } from "./sign-flip.ts";
import { withinTaskP } from "./within-task.ts";

/** With this many units, a claim is only about tasks like these. With fewer, one about these tasks alone may follow. */
export const fewestTasks = 12;

/** With fewer units than this, nothing is claimed about tasks like these. */
export const fewestForProof = 6;

/** `sign-flip` swaps arms across tasks. `within-task` swaps trials inside each task. */
export type ClaimTest = "sign-flip" | "within-task";

/** The exact one-sided p of "the candidate is better on tasks like these". */
export function overTasksP(pairs: readonly FinishedPair[]): number {
  return signFlipP(unitSums(pairs, differences(pairs)));
}

/** The test that a search uses for this many units: a handful only supports statements about itself. */
export function searchTest(units: number): ClaimTest {
  return units < fewestTasks ? "within-task" : "sign-flip";
}

/** The exact one-sided p of "the candidate is better", as a search uses it. */
export function searchP(pairs: readonly FinishedPair[]): number {
  return searchTest(countUnits(pairs)) === "within-task" ? withinTaskP(pairs) : overTasksP(pairs);
}
