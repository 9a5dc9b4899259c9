import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import type { Answer } from "./answer.ts";
import type { Finish, ScriptedMessage, ScriptedRequest } from "./chat-world.ts";
import {
  createdAt,
  joinSystem,
  type Protocol,
  readContent,
  readList,
  readNumber,
  readTool,
  requireList,
  requireText,
  splitDeltas,
  writeOpenaiError,
} from "./protocol.ts";

/** `POST /v1/chat/completions`. */
export const openaiChat: Protocol = {
  name: "openai-chat",
  readRequest,
  writeAnswer,
  writeStream,
  writeError: writeOpenaiError,
};

function readRequest(body: JsonObject, key: string): ScriptedRequest {
  const system: string[] = [];
  const messages: ScriptedMessage[] = [];
  for (const message of requireList(body, "messages")) {
    const role = message["role"];
    const content = readContent(message["content"]);
    if (role === "system" || role === "developer") system.push(content);
    else messages.push({ role: role === "assistant" || role === "tool" ? role : "user", content });
  }
  return {
    protocol: "openai-chat",
    model: requireText(body, "model"),
    system: joinSystem(system),
    messages,
    maxTokens: readNumber(body["max_completion_tokens"]) ?? readNumber(body["max_tokens"]),
    key,
    tools: readList(body["tools"])
      .map((tool) => tool["function"])
      .filter(isJsonObject)
      .map((tool) => readTool(tool)),
  };
}

function writeAnswer(answer: Answer): JsonObject {
  return {
    id: `chatcmpl-${answer.id}`,
    object: "chat.completion",
    created: createdAt,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text === "" && answer.toolCalls.length > 0 ? null : answer.text,
          refusal: null,
          ...(answer.toolCalls.length === 0
            ? {}
            : {
                tool_calls: answer.toolCalls.map((call) => ({
                  id: `call_${call.id}`,
                  type: "function",
                  function: { name: call.name, arguments: call.arguments },
                })),
              }),
        },
        logprobs: null,
        finish_reason: finishReasons[answer.finish],
      },
    ],
    usage: writeUsage(answer),
  };
}

function writeStream(answer: Answer, body: JsonObject): string[] {
  const options = body["stream_options"];
  const withUsage = isJsonObject(options) && options["include_usage"] === true;
  const events: string[] = [];
  const push = (choices: Json, usage: Json) =>
    events.push(
      `data: ${JSON.stringify({
        id: `chatcmpl-${answer.id}`,
        object: "chat.completion.chunk",
        created: createdAt,
        model: answer.model,
        choices,
        ...(withUsage ? { usage } : {}),
      })}\n\n`,
    );
  const pushDelta = (delta: JsonObject, finish: string | null = null) =>
    push([{ index: 0, delta, logprobs: null, finish_reason: finish }], null);

  pushDelta({ role: "assistant", content: answer.toolCalls.length > 0 && answer.text === "" ? null : "" });
  for (const content of splitDeltas(answer.text)) pushDelta({ content });
  for (const [index, call] of answer.toolCalls.entries()) {
    pushDelta({
      tool_calls: [
        { index, id: `call_${call.id}`, type: "function", function: { name: call.name, arguments: "" } },
      ],
    });
    for (const piece of splitDeltas(call.arguments)) {
      pushDelta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  pushDelta({}, finishReasons[answer.finish]);
  if (withUsage) push([], writeUsage(answer));
  events.push("data: [DONE]\n\n");
  return events;
}

const finishReasons: Readonly<Record<Finish, string>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

const writeUsage = ({ usage }: Answer): JsonObject => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
});
