import type { JsonObject } from "../../core/json.ts";
import type { Answer } from "./answer.ts";
import type { Finish, ScriptedMessage, ScriptedRequest } from "./chat-world.ts";
import {
  BadBody,
  joinSystem,
  type Protocol,
  readContent,
  readList,
  readNumber,
  readTool,
  requireList,
  requireText,
  splitDeltas,
} from "./protocol.ts";

/** `POST /v1/messages`. */
export const anthropicMessages: Protocol = {
  name: "anthropic-messages",
  readRequest,
  writeAnswer,
  writeStream,
  writeError: (failure, id) => ({
    type: "error",
    error: { type: failure.anthropicType, message: failure.message },
    request_id: `req_${id}`,
  }),
};

function readRequest(body: JsonObject, key: string): ScriptedRequest {
  const maxTokens = readNumber(body["max_tokens"]);
  if (maxTokens === undefined) throw new BadBody("`max_tokens` must be a number.");
  const messages: ScriptedMessage[] = [];
  for (const message of requireList(body, "messages")) {
    for (const part of readList(message["content"])) {
      if (part["type"] === "tool_result")
        messages.push({ role: "tool", content: readContent(part["content"]) });
    }
    const content = readContent(message["content"]);
    if (message["role"] === "assistant") messages.push({ role: "assistant", content });
    else if (content !== "") messages.push({ role: "user", content });
  }
  return {
    protocol: "anthropic-messages",
    model: requireText(body, "model"),
    system: joinSystem([readContent(body["system"])]),
    messages,
    maxTokens,
    key,
    tools: readList(body["tools"]).map((tool) => readTool(tool, "input_schema")),
  };
}

function writeAnswer(answer: Answer): JsonObject {
  return {
    ...messageHead(answer),
    content: [
      ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
      ...answer.toolCalls.map((call) => ({
        type: "tool_use",
        id: `toolu_${call.id}`,
        name: call.name,
        input: call.input,
      })),
    ],
    stop_reason: stopReasons[answer.finish],
    usage: { ...inputUsage(answer), output_tokens: answer.usage.outputTokens },
  };
}

function writeStream(answer: Answer): string[] {
  const events: string[] = [];
  const push = (type: string, fields: JsonObject) =>
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  let index = 0;
  const pushBlock = (block: JsonObject, deltas: readonly JsonObject[]) => {
    push("content_block_start", { index, content_block: block });
    if (index === 0) push("ping", {});
    for (const delta of deltas) push("content_block_delta", { index, delta });
    push("content_block_stop", { index });
    index += 1;
  };

  push("message_start", {
    message: { ...messageHead(answer), usage: { ...inputUsage(answer), output_tokens: 1 } },
  });
  if (answer.text !== "") {
    pushBlock(
      { type: "text", text: "" },
      splitDeltas(answer.text).map((text) => ({ type: "text_delta", text })),
    );
  }
  for (const call of answer.toolCalls) {
    pushBlock(
      { type: "tool_use", id: `toolu_${call.id}`, name: call.name, input: {} },
      ["", ...splitDeltas(call.arguments)].map((text) => ({ type: "input_json_delta", partial_json: text })),
    );
  }
  push("message_delta", {
    delta: { stop_reason: stopReasons[answer.finish], stop_sequence: null },
    usage: { output_tokens: answer.usage.outputTokens },
  });
  push("message_stop", {});
  return events;
}

const messageHead = (answer: Answer): JsonObject => ({
  id: `msg_${answer.id}`,
  type: "message",
  role: "assistant",
  model: answer.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

const stopReasons: Readonly<Record<Finish, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  "content-filter": "refusal",
  "tool-calls": "tool_use",
};

// Anthropic counts cached tokens separately from the input, the others as part of it
const inputUsage = ({ usage }: Answer): JsonObject => ({
  input_tokens: usage.inputTokens - (usage.cachedInputTokens ?? 0),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cachedInputTokens ?? 0,
});
