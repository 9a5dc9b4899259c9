import type { Stage } from "../place.ts";
import type { Role } from "../ports/model.ts";

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

/** What replies of a model took on this machine, in whichever project; means per reply. */
export interface TimedReplies {
  readonly replies: number;
  readonly ms: number;
  /** How long replies were that took so long; missing where nobody knows. */
  readonly written?: number | undefined;
  /** How long this project's replies are. */
  readonly outputTokens?: number | undefined;
}

/** What is known of the models of a run. */
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
  /** By role. */
  readonly timed?: Readonly<Partial<Record<Role, TimedReplies>>>;
  /** How many calls the server of a model works on at a time, by `provider/model`. */
  readonly slots?: ReadonlyMap<string, number>;
}

export const nothingMeasured: MeasuredModels = { optimizer: new Map() };
