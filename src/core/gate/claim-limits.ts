import { claimTest } from "./claim-p.ts";

export interface ClaimSize {
  readonly tasks: number;
  /** Trials per task and arm. */
  readonly trials: number;
}

export interface ClaimLimits {
  /** Whether any outcome at all could pass. */
  readonly possible: boolean;
  /** The smallest p that could come out. */
  readonly bestP: number;
  /** The fewest tasks, not below these, that could pass with these trials. */
  readonly tasksNeeded: number;
  /** The fewest trials that could pass with these tasks; null when no number would. */
  readonly trialsNeeded: number | null;
}

/** What a claim of this size could reach at best: known before the first call. */
export function claimLimits({ tasks, trials }: ClaimSize, alpha: number): ClaimLimits {
  const bestP = bestPossibleP({ tasks, trials });
  let tasksNeeded = Math.max(tasks, 1);
  while (bestPossibleP({ tasks: tasksNeeded, trials: Math.max(trials, 1) }) > alpha) tasksNeeded += 1;
  return { possible: bestP <= alpha, bestP, tasksNeeded, trialsNeeded: trialsNeeded(tasks, alpha) };
}

/** The p of a candidate that passes every trial against an incumbent that fails every one. */
export function bestPossibleP({ tasks, trials }: ClaimSize): number {
  if (tasks < 1 || trials < 1) return 1;
  return claimTest(tasks) === "sign-flip" ? 2 ** -tasks : binomial(2 * trials, trials) ** -tasks;
}

function trialsNeeded(tasks: number, alpha: number): number | null {
  // over tasks, more trials cannot lower the smallest p
  const least = bestPossibleP({ tasks, trials: 1 });
  if (tasks < 1 || (claimTest(tasks) === "sign-flip" && least > alpha)) return null;
  let trials = 1;
  while (bestPossibleP({ tasks, trials }) > alpha) trials += 1;
  return trials;
}

/** n choose k. */
export function binomial(n: number, k: number): number {
  let ways = 1;
  for (let at = 1; at <= k; at += 1) ways = (ways * (n - k + at)) / at;
  return Math.round(ways);
}
