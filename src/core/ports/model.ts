import type { JsonObject } from "../json.ts";

/** How many calls a server on this machine is taken to work on at a time until it is seen. */
export const nearCalls = 2;

/** Who asks. */
export type Role = "target" | "optimizer" | "judge" | "miner";

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** One chat call, as data: together with the draw it determines the reply. */
export interface ModelRequest {
  /** `provider/model`. */
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  readonly temperature?: number;
  /** Further fields of the request, as an OpenAI-compatible server takes them. */
  readonly body?: JsonObject;
}

export interface Usage {
  /** All of the input, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of the input that was read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that was written to the cache; some models charge extra for it. */
  readonly cacheWriteInputTokens?: number;
  /** Nobody counted: it is the most that it can have been. */
  readonly estimated?: true;
}

/**
 * Any complete answer, also an unusable one: it was paid. Only `stop` may be parsed as whole. `none`: the server, which
 * gives a reason for the end elsewhere, gave none here.
 */
export interface Reply {
  readonly text: string;
  readonly finish: "stop" | "length" | "content-filter" | "other" | "none";
  readonly usage: Usage;
  /** The model's id as the provider returned it, where it did: often more exact than what was asked for. */
  readonly model?: string;
  /** The host that answered; missing where nobody knows it, as with a model that is made in code. */
  readonly host?: string;
}

export interface ModelCall {
  readonly key: string;
  readonly signal: AbortSignal;
  /**
   * How long the answer may take; asked again once that has passed, as it may have grown. A call that takes longer fails
   * with an `InfraError` that is late. @default the model's own
   */
  readonly deadlineMs?: () => number;
  /** Whether the run calls nobody else just now. @default always */
  readonly isIdle?: () => boolean;
}

/** A chat model. Throws `InfraError` when the provider failed, and nothing else; a handoff throws `handoff-pending`. */
export interface Model {
  /**
   * `provider/model`, also the lane whose rate limits its calls share. Results are found again by it: give a model of your own
   * another id when it would answer differently.
   */
  readonly id: string;
  /** The most tokens that it adds to a prompt by itself; they are paid like the rest. @default 0 */
  readonly ownTokens?: number;
  /** Its server is on this machine: it may have one place for calls, and what it works is not sold. @default false */
  readonly isNear?: boolean;
  /** Its calls are asked as files and wait together: no provider limits them. @default false */
  readonly isHandoff?: boolean;
  /** `key` is sent as `Idempotency-Key`. */
  generate(request: ModelRequest, call: ModelCall): Promise<Reply>;
}
