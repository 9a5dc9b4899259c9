import { type ClaimLimits, claimLimits } from "./claim-limits.ts";
import { detectableEffect, enoughPower, power, tasksFor80, trialsFor80 } from "./power.ts";

export interface ClaimPlanInput {
  readonly tasks: number;
  /** Per task and arm. */
  readonly trials: number;
  readonly alpha: number;
  /** How often two trials of one task differ. */
  readonly flipRate: number;
  /** The original's mean score. */
  readonly baseline: number;
  readonly seed: number;
}

/** The gains that a claim of this size can find, simulated before anything is spent. */
export interface PlannedClaim extends Omit<ClaimPlanInput, "seed">, Detectable {
  readonly limits: ClaimLimits;
  /** The chance to find a gain, in any wording, by number of trials. */
  readonly power: readonly { readonly trials: number; readonly chances: readonly Chance[] }[];
  /** The chance that a gain is called better with these trials; below twelve tasks most claims are about these alone. */
  readonly proof: readonly Chance[];
  /** The size that 80% power for smaller gains needs: more tasks with these trials, or more trials with these tasks. */
  readonly needed: readonly Needed[];
}

/** The smallest gains that are found with 80% power; null if even the largest isn't. */
export interface Detectable {
  /** If all tasks gain alike. */
  readonly detectable: number | null;
  /** If the whole gain comes from some topics. */
  readonly detectableOnSome: number | null;
}

export interface Chance {
  readonly effect: number;
  /** If all tasks gain alike; null if the score leaves no room for it. */
  readonly power: number | null;
  /** The same if the whole gain comes from some topics. */
  readonly onSome: number | null;
}

export interface Needed {
  readonly effect: number;
  /** Null if a thousand are too few. */
  readonly tasks: number | null;
  /** Null if ten are too few. */
  readonly trials: number | null;
}

export const plannedEffects = [0.05, 0.1, 0.2] as const;
const plannedTrials = [1, 3, 5, 10] as const;
const [mostTasks, mostTrials] = [1000, 10];
/** Simulated claims per figure: its standard error is at most 3.5 points. Large claims use half as many. */
const draws = 200;

export function planClaim({ seed, ...claim }: ClaimPlanInput): PlannedClaim {
  const { tasks, trials, alpha } = claim;
  // at the extremes no two trials ever differ
  const baseline = Math.min(Math.max(claim.baseline, 0.02), 0.98);
  const input = { tasks, trials, alpha, flipRate: claim.flipRate, baseline, seed, draws };
  const chance = (effect: number, count: number, word: "better" | "any" = "any"): Chance => {
    if (effect > 1 - baseline + 1e-9) return { effect, power: null, onSome: null };
    const size = { ...input, trials: count, effect, word };
    return { effect, power: power(size), onSome: power({ ...size, gain: "some topics" }) };
  };
  const limits = claimLimits({ tasks, trials }, alpha);
  const short = plannedEffects.filter(
    (effect) => limits.possible && (chance(effect, trials).power ?? 1) < enoughPower,
  );
  return {
    ...claim,
    limits,
    ...detectableOf(input),
    power: plannedTrials.map((count) => ({
      trials: count,
      chances: plannedEffects.map((effect) => chance(effect, count)),
    })),
    proof: plannedEffects.map((effect) => chance(effect, trials, "better")),
    needed: short.map((effect) => ({
      effect,
      tasks: tasksFor80({ ...input, effect, draws: draws / 2 }, mostTasks),
      trials: trialsFor80({ ...input, effect, draws: draws / 2 }, mostTrials),
    })),
  };
}

/** Only the smallest gains. */
export function planDetectable({ baseline, ...claim }: ClaimPlanInput): Detectable {
  return detectableOf({ ...claim, baseline: Math.min(Math.max(baseline, 0.02), 0.98), draws });
}

const detectableOf = (input: Parameters<typeof detectableEffect>[0]): Detectable => ({
  detectable: detectableEffect(input),
  detectableOnSome: detectableEffect({ ...input, gain: "some topics" }),
});
