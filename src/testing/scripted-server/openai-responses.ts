import type { JsonObject } from "../../core/json.ts";
import type { Answer } from "./answer.ts";
import type { ScriptedMessage, ScriptedRequest } from "./chat-world.ts";
import {
  createdAt,
  joinSystem,
  type Protocol,
  readContent,
  readList,
  readNumber,
  readText,
  readTool,
  requireList,
  requireText,
  splitDeltas,
  writeOpenaiError,
} from "./protocol.ts";

/** `POST /v1/responses`. */
export const openaiResponses: Protocol = {
  name: "openai-responses",
  readRequest,
  writeAnswer,
  writeStream,
  writeError: writeOpenaiError,
};

function readRequest(body: JsonObject, key: string): ScriptedRequest {
  const system = [readText(body["instructions"])];
  const messages: ScriptedMessage[] = [];
  const input = body["input"];
  const items: readonly JsonObject[] =
    typeof input === "string" ? [{ role: "user", content: input }] : requireList(body, "input");
  for (const item of items) {
    const { role, type } = item;
    if (type === "function_call_output") {
      messages.push({ role: "tool", content: readContent(item["output"]) });
    } else if (role === "system" || role === "developer") {
      system.push(readContent(item["content"]));
    } else if (role === "user" || role === "assistant") {
      messages.push({ role, content: readContent(item["content"]) });
    }
  }
  return {
    protocol: "openai-responses",
    model: requireText(body, "model"),
    system: joinSystem(system),
    messages,
    maxTokens: readNumber(body["max_output_tokens"]),
    key,
    tools: readList(body["tools"])
      .filter((tool) => tool["type"] === "function")
      .map((tool) => readTool(tool)),
  };
}

function writeAnswer(answer: Answer): JsonObject {
  const incomplete = incompleteReason(answer);
  return {
    ...responseHead(answer),
    status: incomplete === undefined ? "completed" : "incomplete",
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    output: outputItems(answer),
    usage: {
      input_tokens: answer.usage.inputTokens,
      input_tokens_details: { cached_tokens: answer.usage.cachedInputTokens ?? 0 },
      output_tokens: answer.usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: answer.usage.inputTokens + answer.usage.outputTokens,
    },
  };
}

function writeStream(answer: Answer): string[] {
  const events: string[] = [];
  const push = (type: string, fields: JsonObject) =>
    events.push(
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: events.length, ...fields })}\n\n`,
    );
  const started = { ...responseHead(answer), status: "in_progress", output: [], usage: null };

  push("response.created", { response: started });
  push("response.in_progress", { response: started });
  for (const [index, item] of outputItems(answer).entries()) {
    const place = { item_id: readText(item["id"]), output_index: index };
    if (item["type"] === "message") pushMessage(push, answer.text, item, place);
    else pushFunctionCall(push, item, place);
    push("response.output_item.done", { output_index: index, item });
  }
  push(incompleteReason(answer) === undefined ? "response.completed" : "response.incomplete", {
    response: writeAnswer(answer),
  });
  return events;
}

type Push = (type: string, fields: JsonObject) => void;

function pushMessage(
  push: Push,
  text: string,
  item: JsonObject,
  place: JsonObject & { output_index: number },
) {
  const part = { ...place, content_index: 0 };
  push("response.output_item.added", {
    output_index: place.output_index,
    item: { ...item, status: "in_progress", content: [] },
  });
  push("response.content_part.added", { ...part, part: outputText("") });
  for (const delta of splitDeltas(text)) push("response.output_text.delta", { ...part, delta, logprobs: [] });
  push("response.output_text.done", { ...part, text, logprobs: [] });
  push("response.content_part.done", { ...part, part: outputText(text) });
}

function pushFunctionCall(push: Push, item: JsonObject, place: JsonObject & { output_index: number }) {
  const text = readText(item["arguments"]);
  push("response.output_item.added", {
    output_index: place.output_index,
    item: { ...item, status: "in_progress", arguments: "" },
  });
  for (const delta of splitDeltas(text)) push("response.function_call_arguments.delta", { ...place, delta });
  push("response.function_call_arguments.done", { ...place, name: item["name"] ?? "", arguments: text });
}

const responseHead = (answer: Answer): JsonObject => ({
  id: `resp_${answer.id}`,
  object: "response",
  created_at: createdAt,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: answer.model,
  output: [],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
});

function outputItems(answer: Answer): JsonObject[] {
  const items: JsonObject[] = answer.toolCalls.map((call) => ({
    id: `fc_${call.id}`,
    type: "function_call",
    status: "completed",
    arguments: call.arguments,
    call_id: `call_${call.id}`,
    name: call.name,
  }));
  if (answer.text !== "" || items.length === 0) {
    items.unshift({
      id: `msg_${answer.id}`,
      type: "message",
      status: incompleteReason(answer) === undefined ? "completed" : "incomplete",
      role: "assistant",
      content: [outputText(answer.text)],
    });
  }
  return items;
}

const outputText = (text: string): JsonObject => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs: [],
});

const incompleteReason = ({ finish }: Answer): string | undefined =>
  finish === "length" ? "max_output_tokens" : finish === "content-filter" ? "content_filter" : undefined;
