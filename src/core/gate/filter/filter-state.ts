import type { Gaussian } from "./gaussian.ts";

/** The constants of the search gate; scores and effects are in [0, 1], so 0.01 is one point. */
export const filterConstants = {
  /** Before any evidence: the spread of one edit's effect, the mean effect of this optimizer's edits, its doubt. */
  effectSpread: 0.05,
  meanEffect: -0.005,
  meanEffectDoubt: 0.02,
  /** Standard deviations below expectation beyond which a result is put down to the candidate alone. */
  surprise: 2,
  /** How much an edit's effect differs from task to task: val is a sample, and a small one flatters. */
  taskSpread: 0.1,
  /** What one more pass of pass/fail trials must promise, in score, while there is one pass per proposal. */
  passValue: 0.002,
  /** Passes over val per candidate at most, before the first look, and between looks. */
  passes: 4,
  firstLook: 0.4,
  look: 0.2,
  /** Share of val rolled at once at least, also where fewer results could decide: rounds cost time. */
  smallestBlock: 0.05,
  /** How far a task's first result, and then each later one, moves its running average. */
  firstMemory: 0.35,
  memory: 0.1,
  /** Tasks rolled a second time to learn whether this target is noisy at all. */
  probe: 20,
  /**
   * The search ends with the original when the incumbent's gain is below this many of its standard deviations,
   * after this many candidates; after fewer, luck had fewer chances and the doubt is smaller by their root.
   */
  finalDoubt: 0.8,
  fullDoubtAfter: 40,
} as const;

/** What the search knows: plain data that survives a journal. */
export type FilterState = NoisyState | DeterministicState;

export interface NoisyState {
  readonly kind: "noisy";
  /** Running average of each val task under the incumbent. */
  readonly averages: readonly number[];
  /** In this order: original on val, incumbent on val, mean effect of edits, incumbent's gain beyond val. */
  readonly known: Gaussian;
  readonly noise: Scatter;
  /** Candidates so far. */
  readonly judged: number;
}

export interface DeterministicState {
  readonly kind: "deterministic";
  /** The incumbent's score on each val task. */
  readonly scores: readonly number[];
}

/** How far repeated trials scattered, and how far pass/fail scores of the same means would have. */
export interface Scatter {
  readonly graded: boolean;
  readonly squares: number;
  readonly expected: number;
}

/** The val tasks to roll a second time before the search starts. */
export function probeTasks(tasks: number): number[] {
  return Array.from({ length: Math.min(tasks, filterConstants.probe) }, (_, task) => task);
}

export interface FilterStart {
  /** The original skill on every val task. */
  readonly seedScores: readonly number[];
  /** The same again on `probeTasks`. */
  readonly probeScores: readonly number[];
}

/** The state before the first candidate. */
export function startFilter({ seedScores, probeScores }: FilterStart): FilterState {
  const repeats = probeScores.map((again, task) => [seedScores[task] ?? again, again] as const);
  if (repeats.every(([first, again]) => first === again)) {
    return { kind: "deterministic", scores: seedScores };
  }
  const scores = seedScores.map((score, task) => (score + (probeScores[task] ?? score)) / 2);
  const middle = mean(scores);
  const averages = scores.map((score) => middle + filterConstants.firstMemory * (score - middle));
  const noise = {
    graded: [...seedScores, ...probeScores].some(isGraded),
    squares: repeats.reduce((sum, [first, again]) => sum + (first - again) ** 2 / 2, 0),
    expected: repeats.reduce((sum, _, task) => sum + passFailVariance(averages[task] ?? middle), 0),
  };
  const doubt = (noiseShare(noise) * mean(averages.map(passFailVariance))) / scores.length;
  const known = {
    mean: [middle, middle, filterConstants.meanEffect, 0],
    covariance: [
      [doubt, doubt, 0, 0],
      [doubt, doubt, 0, 0],
      [0, 0, filterConstants.meanEffectDoubt ** 2, 0],
      [0, 0, 0, 0],
    ],
  };
  return { kind: "noisy", averages, known, noise, judged: 0 };
}

/** The measured variance of trials as a share of that of pass/fail scores: 1 for pass/fail scores themselves. */
export function noiseShare({ graded, squares, expected }: Scatter): number {
  if (!graded) return 1;
  // a little of the largest possible variance stands for pairs that were never rolled
  const unseen = 0.1;
  return Math.min((squares + unseen) / (expected + unseen), 1);
}

/** The variance of a pass/fail trial, kept off zero: no task is certain. Also how far an edit can move the task. */
export function passFailVariance(average: number): number {
  return average * (1 - average) + 0.005;
}

export function isGraded(score: number): boolean {
  return score !== 0 && score !== 1;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A candidate under judgement: plain data that survives a journal. */
export interface Judging {
  readonly state: FilterState;
  /** Val tasks in the order of this candidate, repeated pass after pass. */
  readonly order: readonly number[];
  /** Rollouts that may be spent on it. */
  readonly limit: number;
  /** What one more pass must promise, in score. */
  readonly passWorth: number;
  /** Its scores so far, in order; null where infrastructure failed. */
  readonly scores: readonly (number | null)[];
  readonly decided: boolean;
}
