import type { Stage } from "../place.ts";
import type { Role } from "../ports/model.ts";

/** A model's mean usage per reply, over all runs in the journal. */
export interface MeasuredReplies {
  readonly replies: number;
  readonly outputTokens: number;
  /** The part of the input read from the provider's cache. */
  readonly cachedShare: number;
  /** Mean duration; missing if no call was timed. */
  readonly ms?: number;
}

/** An agent's mean usage per rollout. */
export interface MeasuredAgent {
  readonly rollouts: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly ms?: number;
}

/** A model's mean duration per reply on this machine, over all projects. */
export interface TimedReplies {
  readonly replies: number;
  readonly ms: number;
  /** The length of those replies in tokens; missing if unknown. */
  readonly written?: number | undefined;
  /** The length of this project's replies. */
  readonly outputTokens?: number | undefined;
}

/** Measurements of a run's models. */
export interface MeasuredModels {
  readonly target?: MeasuredReplies;
  /** The target's measurements, when it's an agent. */
  readonly agent?: MeasuredAgent;
  /** Model calls per rollout; missing if an environment is its own unit and wasn't measured. */
  readonly callsPerRollout?: number;
  readonly optimizer: ReadonlyMap<Stage, MeasuredReplies>;
  readonly judge?: MeasuredReplies;
  readonly miner?: MeasuredReplies;
  /** Mean score of the skills that runs started with, and the number of tasks. */
  readonly score?: { readonly mean: number; readonly tasks: number };
  /** By role. */
  readonly timed?: Readonly<Partial<Record<Role, TimedReplies>>>;
  /** How many calls a model's server handles at a time, by `provider/model`. */
  readonly slots?: ReadonlyMap<string, number>;
}

export const nothingMeasured: MeasuredModels = { optimizer: new Map() };
