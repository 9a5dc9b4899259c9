import { mean } from "../../mean.ts";
import { WhetstoneError } from "../../errors.ts";

/** A trial's score in [0, 1], or null without a result: not run, in flight or failed by infrastructure. */
export type Trial = number | null;

/** One task's trials under two skills, both freshly drawn and equal in number. */
export interface ClaimPair<T extends Trial = Trial> {
  readonly incumbent: readonly T[];
  readonly candidate: readonly T[];
  /** The independent sample: tasks of one group and near-duplicates share a unit. @default the task alone */
  readonly unit?: number;
  /** Of the task. @default 1 */
  readonly weight?: number;
  /** A person left the task out: its missing results never arrive and count against whatever is claimed. @default false */
  readonly leftOut?: boolean;
}

export type FinishedPair = ClaimPair<number>;

/** Every trial has a result. */
export function isFinished(pair: ClaimPair): pair is FinishedPair {
  return !pair.incumbent.includes(null) && !pair.candidate.includes(null);
}

/** The pairs as if every missing trial favored the candidate, or went against it. */
export function fillPairs(pairs: readonly ClaimPair[], missing: "best" | "worst"): FinishedPair[] {
  const [won, lost] = missing === "best" ? [1, 0] : [0, 1];
  return pairs.map((pair) =>
    isFinished(pair)
      ? pair
      : {
          ...pair,
          incumbent: pair.incumbent.map((trial) => trial ?? lost),
          candidate: pair.candidate.map((trial) => trial ?? won),
        },
  );
}

/** The pairs as a claim for the candidate must count them: tasks that were left out count against it. */
export const countAgainst = (pairs: readonly ClaimPair[]): readonly ClaimPair[] =>
  pairs.some(({ leftOut }) => leftOut === true)
    ? pairs.flatMap((pair) => (pair.leftOut === true ? fillPairs([pair], "worst") : pair))
    : pairs;

/** The same evidence with the arms swapped. */
export function swapArms<T extends Trial>(pairs: readonly ClaimPair<T>[]): ClaimPair<T>[] {
  return pairs.map((pair) => ({ ...pair, incumbent: pair.candidate, candidate: pair.incumbent }));
}

/** The candidate's lead on each task in integer units, weighted by task. */
export function differences(pairs: readonly FinishedPair[]): number[] {
  const weights = trialWeights(pairs);
  return pairs.map(
    ({ incumbent, candidate }, task) => (gridSum(candidate) - gridSum(incumbent)) * (weights[task] ?? 1),
  );
}

/** Integer weights of a trial: a task counts by its weight, however many trials it has. */
export function trialWeights(pairs: readonly FinishedPair[]): number[] {
  const common = commonTrials(pairs);
  const weights = wholeWeights(pairs);
  return pairs.map(({ candidate }, task) => (common / (candidate.length || 1)) * (weights[task] ?? 1));
}

/** The least common multiple of all numbers of trials. */
export const commonTrials = (pairs: readonly FinishedPair[]): number =>
  pairs.reduce((all, { candidate }) => leastCommonMultiple(all, candidate.length || 1), 1);

/** The largest integer weight: finer weights would make the exact tests slow. */
const largestWeight = 100;

/** The tasks' weights as integers in the same proportion, rounded if there are many uneven ones. */
export function wholeWeights(pairs: readonly Pick<ClaimPair, "weight">[]): number[] {
  const given = pairs.map(({ weight = 1 }) => weight);
  const largest = Math.max(...given, 0);
  if (largest === 0) return given.map(() => 1);
  const fine = given.map((weight) => Math.round((weight / largest) * 5040));
  const unit = fine.reduce(greatestCommonDivisor, 0);
  const exact = fine.map((weight) => weight / unit);
  return Math.max(...exact) <= largestWeight
    ? exact
    : given.map((weight) => (weight === 0 ? 0 : Math.max(Math.round((weight / largest) * largestWeight), 1)));
}

/** The integer differences summed within each unit. */
export function unitSums(pairs: readonly FinishedPair[], values: readonly number[]): number[] {
  if (areAlone(pairs)) return [...values];
  const sums = new Map<number | string, number>();
  pairs.forEach(({ unit }, task) => {
    const name = unit ?? `task ${task}`;
    sums.set(name, (sums.get(name) ?? 0) + (values[task] ?? 0));
  });
  return [...sums.values()];
}

/** Searches and simulations ask often and don't name units. */
const areAlone = (pairs: readonly Pick<ClaimPair, "unit">[]): boolean =>
  pairs.every(({ unit }) => unit === undefined);

/** The number of units that were sampled. */
export const countUnits = (pairs: readonly Pick<ClaimPair, "unit">[]): number =>
  areAlone(pairs) ? pairs.length : new Set(pairs.map(({ unit }, task) => unit ?? `task ${task}`)).size;

/** The weighted mean over tasks of candidate minus incumbent, in [−1, 1]. */
export function meanDifference(pairs: readonly FinishedPair[]): number {
  return armMean(pairs, "candidate") - armMean(pairs, "incumbent");
}

/** The weighted mean of one arm over tasks. */
export function armMean(pairs: readonly FinishedPair[], arm: "incumbent" | "candidate"): number {
  const total = pairs.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const sum = pairs.reduce((all, pair) => all + (pair.weight ?? 1) * mean(pair[arm]), 0);
  return total === 0 ? 0 : sum / total;
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

function leastCommonMultiple(a: number, b: number): number {
  return (a * b) / greatestCommonDivisor(a, b);
}

export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Steps between a score of 0 and a score of 1. Integers keep the exact tests exact. */
export const gridSteps = 20;

/** A score rounded to the grid of 1/20, half to even. */
export function toGrid(score: number): number {
  if (!(score >= 0 && score <= 1)) {
    throw new WhetstoneError("failed", `A score must be between 0 and 1, but one was ${score}.`, {
      hint: "Check the scorer or environment that returned it.",
    });
  }
  const scaled = score * gridSteps;
  const below = Math.floor(scaled);
  if (scaled - below !== 0.5) return Math.round(scaled);
  return below % 2 === 0 ? below : below + 1;
}
