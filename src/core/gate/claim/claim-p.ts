import { type FinishedPair, countUnits, differences, unitSums } from "./claim-pair.ts";
import { signFlipP } from "./sign-flip.ts";
import { withinTaskP } from "./within-task.ts";

/** From this number of units on a claim is only about tasks like these; below it, one about these tasks alone may follow. */
export const fewestTasks = 12;

/** Below this number of units nothing is said about tasks like these. */
export const fewestForProof = 6;

/** Over tasks: what was sampled changes arms. Within tasks: their trials do, and the tasks stay. */
export type ClaimTest = "sign-flip" | "within-task";

/** The exact one-sided p of "the candidate is better on tasks like these". */
export function overTasksP(pairs: readonly FinishedPair[]): number {
  return signFlipP(unitSums(pairs, differences(pairs)));
}

/** The test by which a search looks at so many units: a handful can tell of itself only. */
export function searchTest(units: number): ClaimTest {
  return units < fewestTasks ? "within-task" : "sign-flip";
}

/** The exact one-sided p of "the candidate is better", as a search asks it. */
export function searchP(pairs: readonly FinishedPair[]): number {
  return searchTest(countUnits(pairs)) === "within-task" ? withinTaskP(pairs) : overTasksP(pairs);
}
