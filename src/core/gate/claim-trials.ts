import { fewestTasks } from "./claim-p.ts";
import { trialsFor80 } from "./power.ts";

export interface ClaimTrialsInput {
  readonly tasks: number;
  /** As asked for. */
  readonly trials: number;
  readonly alpha: number;
  readonly seed: number;
}

const mostTrials = 10;

/** Trials per task and arm of a claim, fixed before its first call: where tasks are few, enough to find +20 points. */
export function claimTrials({ tasks, trials, alpha, seed }: ClaimTrialsInput): number {
  if (tasks === 0 || tasks >= fewestTasks) return trials;
  const enough = trialsFor80({ tasks, alpha, effect: 0.2, flipRate: 0.2, seed }, mostTrials);
  return Math.max(trials, enough ?? mostTrials);
}
