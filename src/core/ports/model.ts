import type { JsonObject } from "../json.ts";

/** How many calls we expect a local server to handle at a time until we've measured it. */
export const nearCalls = 2;

/** The part of a run that makes a call. */
export type Role = "target" | "optimizer" | "judge" | "miner";

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** One chat call, as data. Together with the draw it determines the reply. */
export interface ModelRequest {
  /** `provider/model`. */
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  readonly temperature?: number;
  /** Extra fields of the request, in the form that an OpenAI-compatible server expects. */
  readonly body?: JsonObject;
}

export interface Usage {
  /** All input tokens, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of the input read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input written to the cache; some models charge extra for it. */
  readonly cacheWriteInputTokens?: number;
  /** The server didn't count tokens, so these are an upper estimate. */
  readonly estimated?: true;
}

/**
 * Any complete answer, even an unusable one, because it was paid for. Only `stop` may be parsed as whole. `none`: the
 * server didn't give a finish reason here, though it usually does.
 */
export interface Reply {
  readonly text: string;
  readonly finish: "stop" | "length" | "content-filter" | "other" | "none";
  readonly usage: Usage;
  /** The model's id as the provider returned it, if it did. It's often more exact than the requested one. */
  readonly model?: string;
  /** The host that answered; missing if unknown, as with a model defined in code. */
  readonly host?: string;
}

export interface ModelCall {
  readonly key: string;
  readonly signal: AbortSignal;
  /**
   * How long the answer may take. It's called again once that time has passed, as the limit may have grown. A call that
   * takes longer fails with an `InfraError` that is late. @default the model's own
   */
  readonly deadlineMs?: () => number;
  /** Whether the run has no other calls in flight. @default always */
  readonly isIdle?: () => boolean;
}

/** A chat model. Throws only `InfraError`, when the provider failed; a handoff throws `handoff-pending`. */
export interface Model {
  /**
   * `provider/model`, also the lane that its calls share rate limits in. Recorded results are found by it, so give your own
   * model a new id when it would answer differently.
   */
  readonly id: string;
  /** The most tokens that it adds to a prompt by itself. They cost the same as the rest. @default 0 */
  readonly ownTokens?: number;
  /** Its server is on this machine, so it may take one call at a time, and its work isn't billed. @default false */
  readonly isNear?: boolean;
  /** Its calls are written as files and wait together, without a provider's limits. @default false */
  readonly isHandoff?: boolean;
  /** `key` is sent as `Idempotency-Key`. */
  generate(request: ModelRequest, call: ModelCall): Promise<Reply>;
}
