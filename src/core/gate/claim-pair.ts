import { gridSteps, toGrid } from "./grid.ts";

/** A trial's score in [0, 1], or null while it has no result: not run, in flight or failed by infrastructure. */
export type Trial = number | null;

/** One task's trials under two skills, both drawn afresh and equally many. */
export interface ClaimPair<T extends Trial = Trial> {
  readonly incumbent: readonly T[];
  readonly candidate: readonly T[];
}

export type FinishedPair = ClaimPair<number>;

/** Every trial has its result. */
export function isFinished(pair: ClaimPair): pair is FinishedPair {
  return !pair.incumbent.includes(null) && !pair.candidate.includes(null);
}

/** The pairs as they would be if every missing trial spoke for the candidate, or against it. */
export function fillPairs(pairs: readonly ClaimPair[], missing: "best" | "worst"): FinishedPair[] {
  const [won, lost] = missing === "best" ? [1, 0] : [0, 1];
  return pairs.map((pair) =>
    isFinished(pair)
      ? pair
      : {
          incumbent: pair.incumbent.map((trial) => trial ?? lost),
          candidate: pair.candidate.map((trial) => trial ?? won),
        },
  );
}

/** The same evidence read the other way round. */
export function swapArms<T extends Trial>(pairs: readonly ClaimPair<T>[]): ClaimPair<T>[] {
  return pairs.map(({ incumbent, candidate }) => ({ incumbent: candidate, candidate: incumbent }));
}

/** By how many integer units the candidate is ahead on each task; every task weighs the same. */
export function differences(pairs: readonly FinishedPair[]): number[] {
  const weights = taskWeights(pairs);
  return pairs.map(
    ({ incumbent, candidate }, task) => (gridSum(candidate) - gridSum(incumbent)) * (weights[task] ?? 1),
  );
}

/** Whole-number weights that make a task with few trials count as much as one with many. */
export function taskWeights(pairs: readonly FinishedPair[]): number[] {
  const common = pairs.reduce((all, { candidate }) => leastCommonMultiple(all, candidate.length), 1);
  return pairs.map(({ candidate }) => common / candidate.length);
}

/** The mean over tasks of candidate minus incumbent, in [−1, 1]. */
export function meanDifference(pairs: readonly FinishedPair[]): number {
  return meanOf(pairs.map(taskDifference));
}

/** The candidate's mean minus the incumbent's on one task, from grid values. */
export function taskDifference({ incumbent, candidate }: FinishedPair): number {
  return (
    gridSum(candidate) / (gridSteps * candidate.length) - gridSum(incumbent) / (gridSteps * incumbent.length)
  );
}

export function gridSum(trials: readonly number[]): number {
  return trials.reduce((sum, trial) => sum + toGrid(trial), 0);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

function leastCommonMultiple(a: number, b: number): number {
  return (a * b) / greatestCommonDivisor(a, b);
}

export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
