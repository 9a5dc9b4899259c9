import type { Rolled } from "../stages/rollout.ts";

/** One arm of a claim: every task several times. */
export interface Trials {
  /** By task: the gate's score of each trial, null if the result is missing. */
  readonly scores: readonly (readonly (number | null)[])[];
  /** By trial, then by task. */
  readonly rolled: readonly (readonly Rolled[])[];
}
