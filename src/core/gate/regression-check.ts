import type { FinishedPair } from "./claim/claim-pair.ts";
import { fisherP } from "./fisher.ts";

/** With fewer trials than this, a lost task is reported but not re-run. */
export const fewestTrialsToBlock = 3;

export const regressionAlpha = 0.01;

export interface LostIndex {
  readonly task: number;
  /** Trials to repeat in both arms; 0 if the loss is only reported. */
  readonly rerun: number;
}

/** Tasks that the incumbent passed in every trial and the candidate in none. A pass is a score of 1. */
export function lostTasks(pairs: readonly FinishedPair[]): LostIndex[] {
  return pairs.flatMap(({ incumbent, candidate }, task) => {
    if (candidate.length === 0 || !incumbent.every(passes) || candidate.some(passes)) return [];
    return [{ task, rerun: candidate.length < fewestTrialsToBlock ? 0 : 2 * candidate.length }];
  });
}

/** How far a task's mean score must fall before the task is named. */
const clearFall = 0.25;

/** Every trial of the candidate scores below every trial of the incumbent, and clearly so on average. */
export function hasFallen({ incumbent, candidate }: FinishedPair): boolean {
  if (candidate.length === 0 || Math.max(...candidate) >= Math.min(...incumbent)) return false;
  const mean = (trials: readonly number[]) => trials.reduce((sum, trial) => sum + trial, 0) / trials.length;
  return mean(incumbent) - mean(candidate) >= clearFall;
}

export interface RegressionResult {
  readonly p: number;
  readonly blocks: boolean;
}

/** Whether the repeated trials alone show that the task was lost. */
export function regressionCheck({ incumbent, candidate }: FinishedPair): RegressionResult {
  const count = (trials: readonly number[]) => ({
    passed: trials.filter(passes).length,
    trials: trials.length,
  });
  const p = fisherP(count(incumbent), count(candidate));
  return { p, blocks: p <= regressionAlpha };
}

const passes = (score: number): boolean => score >= 1;
