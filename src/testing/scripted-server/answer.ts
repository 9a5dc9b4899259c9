import { hashText } from "../../core/canonical.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Usage } from "../../core/ports/model.ts";
import type { Finish, ScriptedReply, ScriptedRequest } from "./chat-world.ts";

/** A reply with everything a protocol needs to write it down. */
export interface Answer {
  /** 40 hex digits. Protocols add their own prefix. */
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly toolCalls: readonly AnswerToolCall[];
  readonly usage: Usage;
  readonly finish: Finish;
}

export interface AnswerToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** `input` as JSON text. */
  readonly arguments: string;
}

/** Fills in ids, usage and finish, and cuts the text at `maxTokens` as a provider does. */
export function completeAnswer(request: ScriptedRequest, reply: ScriptedReply, idName: string): Answer {
  const id = hashText(idName).slice(0, 40);
  const toolCalls = (reply.toolCalls ?? []).map((call, index) => ({
    id: hashText(`${idName}\u0000tool\u0000${index}`).slice(0, 24),
    name: call.name,
    input: call.arguments,
    arguments: JSON.stringify(call.arguments),
  }));
  const room = request.maxTokens === undefined ? Number.POSITIVE_INFINITY : request.maxTokens * charsPerToken;
  const isCut = reply.usage === undefined && reply.finish === undefined && reply.text.length > room;
  const text = isCut ? reply.text.slice(0, room) : reply.text;
  const outputChars = toolCalls.reduce(
    (sum, call) => sum + call.name.length + call.arguments.length,
    text.length,
  );
  return {
    id,
    model: request.model,
    text,
    toolCalls,
    usage: reply.usage ?? { inputTokens: countInputTokens(request), outputTokens: tokens(outputChars) },
    finish: isCut ? "length" : (reply.finish ?? (toolCalls.length > 0 ? "tool-calls" : "stop")),
  };
}

const charsPerToken = 4;

const tokens = (chars: number): number => Math.ceil(chars / charsPerToken);

const countInputTokens = (request: ScriptedRequest): number =>
  tokens(request.messages.reduce((sum, message) => sum + message.content.length, request.system.length));
