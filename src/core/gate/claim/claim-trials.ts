import { remembered } from "../../remembered.ts";
import { type PowerInput, trialsFor80 } from "./power.ts";

export interface ClaimTrialsInput {
  /** Independent samples: groups count once. */
  readonly tasks: number;
  readonly alpha: number;
  readonly settings: { readonly claimTrials: number | "auto"; readonly seed: number };
  /** How often two trials of one task differ, if measured. @default as assumed */
  readonly flipRate?: number;
}

const mostTrials = 10;

/** The assumption if it wasn't measured: with pass/fail tasks of middling and mixed difficulty, 3 of 10 trials differ. */
export const assumedFlipRate = 0.3;

/**
 * Trials per task and arm of a claim, fixed before its first call: as configured, or the fewest that have 80% power at
 * +20 points, at most ten.
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
