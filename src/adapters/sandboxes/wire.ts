import { isObject, readObject } from "../../core/json.ts";
import type { Usage } from "../../core/ports/model.ts";

/** The wire formats that agents use. */
export type Wire = "anthropic-messages" | "openai-responses" | "openai-chat";

export type WireBody = Readonly<Record<string, unknown>>;

/** Paths that lead to a model. Every other path is a 404. */
export const wires: Readonly<Record<string, Wire>> = {
  "/v1/messages": "anthropic-messages",
  "/v1/responses": "openai-responses",
  "/v1/chat/completions": "openai-chat",
};

/** An error in the form this wire's client expects. */
export function writeError(wire: Wire, message: string): string {
  const error = { type: "invalid_request_error", message };
  return JSON.stringify(
    wire === "anthropic-messages"
      ? { type: "error", error }
      : { error: { ...error, param: null, code: "invalid_request" } },
  );
}

/** The facts an answer has given so far. */
export interface WireReading {
  readonly usage: Usage | undefined;
  /** Whether the answer is complete. */
  readonly complete: boolean;
  /** An error inside an answer that HTTP calls a success. */
  readonly error: WireBody | undefined;
}

export interface WireReader {
  /** One JSON document: the whole answer, or one event of its stream. */
  take(text: string): void;
  read(): WireReading;
}

export function createWireReader(wire: Wire, streamed: boolean): WireReader {
  let usage: Usage | undefined;
  let complete = false;
  let error: WireBody | undefined;
  const take = (text: string): void => {
    if (text === "[DONE]") {
      complete = true;
      return;
    }
    const event = readObject(text);
    if (event === undefined) return;
    const { type } = event;
    if (event["error"] != null || type === "error") error ??= event;
    if (wire === "anthropic-messages") {
      const message = isObject(event["message"]) ? event["message"] : event;
      usage = anthropicUsage(message["usage"], usage);
      complete ||= streamed ? type === "message_stop" : type === "message";
      return;
    }
    const response = isObject(event["response"]) ? event["response"] : event;
    usage = openaiUsage(response["usage"]) ?? usage;
    if (isObject(response["error"])) error ??= response;
    const whole = wire === "openai-responses" ? Array.isArray(response["output"]) : "choices" in event;
    complete ||= streamed
      ? type === "response.completed" || type === "response.incomplete"
      : whole && error === undefined;
  };
  return { take, read: () => ({ usage, complete, error }) };
}

function anthropicUsage(value: unknown, before: Usage | undefined): Usage | undefined {
  if (!isObject(value)) return before;
  const cached = count(value["cache_read_input_tokens"]) ?? before?.cachedInputTokens ?? 0;
  const written = count(value["cache_creation_input_tokens"]) ?? before?.cacheWriteInputTokens ?? 0;
  const earlier = before === undefined ? 0 : before.inputTokens - cached - written;
  const plain = count(value["input_tokens"]) ?? earlier;
  return {
    inputTokens: plain + cached + written,
    outputTokens: count(value["output_tokens"]) ?? before?.outputTokens ?? 0,
    cachedInputTokens: cached,
    cacheWriteInputTokens: written,
  };
}

function openaiUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = count(value["input_tokens"]) ?? count(value["prompt_tokens"]);
  const output = count(value["output_tokens"]) ?? count(value["completion_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  const details = value["input_tokens_details"] ?? value["prompt_tokens_details"];
  const cached = isObject(details) ? count(details["cached_tokens"]) : undefined;
  return {
    inputTokens: input,
    outputTokens: output,
    cachedInputTokens: cached,
  };
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
