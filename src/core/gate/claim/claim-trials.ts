import { remembered } from "../../remembered.ts";
import { type PowerInput, trialsFor80 } from "./power.ts";

export interface ClaimTrialsInput {
  /** What is sampled: groups count once. */
  readonly tasks: number;
  readonly alpha: number;
  readonly settings: { readonly claimTrials: number | "auto"; readonly seed: number };
  /** How often two trials of one task differ, where it was measured. @default as assumed */
  readonly flipRate?: number;
}

const mostTrials = 10;

/** Where nobody measured it: pass/fail tasks of middling and mixed difficulty differ in three trials of ten. */
export const assumedFlipRate = 0.3;

/**
 * Trials per task and arm of a claim, fixed before its first call: as asked for, or by one rule at any size, as many as find
 * +20 points in 80 of 100 cases, at most ten.
 */
export function claimTrials({
  tasks,
  alpha,
  settings,
  flipRate = assumedFlipRate,
}: ClaimTrialsInput): number {
  const { claimTrials: asked, seed } = settings;
  if (asked !== "auto") return asked;
  if (tasks === 0) return 1;
  return enoughTrials({ tasks, alpha, flipRate, seed });
}

const enoughTrials = remembered(
  (input: Pick<PowerInput, "tasks" | "alpha" | "flipRate" | "seed">): number =>
    trialsFor80({ ...input, effect: 0.2, draws: 200 }, mostTrials) ?? mostTrials,
);
