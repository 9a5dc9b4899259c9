import { type FinishedPair, differences } from "./claim-pair.ts";
import { signFlipP } from "./sign-flip.ts";
import { withinTaskP } from "./within-task.ts";

/** Below this number of tasks a claim is about these tasks only: p of a test over tasks cannot fall below 2⁻ⁿ. */
export const fewestTasks = 12;

export type ClaimTest = "sign-flip" | "within-task";

export function claimTest(tasks: number): ClaimTest {
  return tasks < fewestTasks ? "within-task" : "sign-flip";
}

/** The exact one-sided p of "the candidate is better". */
export function claimP(pairs: readonly FinishedPair[]): number {
  return claimTest(pairs.length) === "within-task" ? withinTaskP(pairs) : signFlipP(differences(pairs));
}
