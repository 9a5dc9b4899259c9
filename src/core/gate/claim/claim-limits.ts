import { fewestForProof, fewestTasks } from "./claim-p.ts";

export interface ClaimSize {
  /** Independent samples: groups count once. */
  readonly tasks: number;
  /** Trials per task and arm. */
  readonly trials: number;
}

export interface ClaimLimits {
  /** Whether any outcome at all could support a claim. */
  readonly possible: boolean;
  /** Whether a claim about tasks like these is possible: "better". */
  readonly proof: boolean;
  /** The smallest possible p. */
  readonly bestP: number;
  /** The fewest tasks, at least as many as these, that allow a proof. */
  readonly tasksNeeded: number;
  /** The fewest trials that allow any claim with these tasks; null if no number does. */
  readonly trialsNeeded: number | null;
}

/** The best that a claim of this size could achieve, known before the first call. */
export function claimLimits({ tasks, trials }: ClaimSize, alpha: number): ClaimLimits {
  const bestP = bestPossibleP({ tasks, trials });
  const proof = tasks >= fewestForProof && trials >= 1 && 2 ** -tasks <= alpha;
  const tasksNeeded = Math.max(tasks, Math.ceil(-Math.log2(alpha)), fewestForProof);
  return { possible: bestP <= alpha, proof, bestP, tasksNeeded, trialsNeeded: trialsNeeded(tasks, alpha) };
}

/** The p of a candidate that passes every trial against an incumbent that fails every trial. */
export function bestPossibleP({ tasks, trials }: ClaimSize): number {
  if (tasks < 1 || trials < 1) return 1;
  // with a single trial per task, the test swaps arms across tasks
  return tasks < fewestTasks ? binomial(2 * trials, trials) ** -tasks : 2 ** -tasks;
}

function trialsNeeded(tasks: number, alpha: number): number | null {
  // across tasks, more trials can't lower the smallest p
  if (tasks < 1 || (tasks >= fewestTasks && 2 ** -tasks > alpha)) return null;
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
