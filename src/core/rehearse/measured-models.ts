import type { Stage } from "../place.ts";

/** What replies of a model came to, over all runs in the journal; means per reply. */
export interface MeasuredReplies {
  readonly replies: number;
  readonly outputTokens: number;
  /** The part of the input that was read from the provider's cache. */
  readonly cachedShare: number;
  /** Missing where no call was timed. */
  readonly ms?: number;
}

/** What rollouts of one agent came to; means per rollout. */
export interface MeasuredAgent {
  readonly rollouts: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly ms?: number;
}

/** What a journal knows of the models of a run. */
export interface MeasuredModels {
  readonly target?: MeasuredReplies;
  /** Of the target when it is an agent. */
  readonly agent?: MeasuredAgent;
  /** Model calls per rollout; missing where an environment is its own unit and nothing was measured. */
  readonly callsPerRollout?: number;
  readonly optimizer: ReadonlyMap<Stage, MeasuredReplies>;
  readonly judge?: MeasuredReplies;
  readonly miner?: MeasuredReplies;
  /** Mean score of the skills that runs began with, and over how many tasks. */
  readonly score?: { readonly mean: number; readonly tasks: number };
}

export const nothingMeasured: MeasuredModels = { optimizer: new Map() };
