import type { Json } from "../../core/json.ts";
import type { Usage } from "../../core/ports/model.ts";

export type ProtocolName = "openai-chat" | "openai-responses" | "anthropic-messages";

/** Decides the replies of a scripted server's models. The same request and key must give the same reply. */
export interface ChatWorld {
  reply(request: ScriptedRequest): ScriptedReply;
}

/** One call, in the same form for every protocol. */
export interface ScriptedRequest {
  readonly protocol: ProtocolName;
  readonly model: string;
  /** All system and developer text, joined by blank lines; empty without any. */
  readonly system: string;
  readonly messages: readonly ScriptedMessage[];
  readonly maxTokens: number | undefined;
  /** The unit's key, which seeds every draw of a world. */
  readonly key: string;
  readonly tools: readonly ScriptedTool[];
}

export interface ScriptedMessage {
  readonly role: "user" | "assistant" | "tool";
  /** The text only; for `tool`, the result that the client sent back. */
  readonly content: string;
}

export interface ScriptedTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: Json;
}

export interface ScriptedReply {
  readonly text: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** @default a quarter of the characters, rounded up, in and out */
  readonly usage?: Usage;
  /** @default `tool-calls` with tool calls, `length` when `maxTokens` cut the text, else `stop` */
  readonly finish?: Finish;
}

export interface ScriptedToolCall {
  readonly name: string;
  readonly arguments: { readonly [key: string]: Json };
}

export type Finish = "stop" | "length" | "content-filter" | "tool-calls";
