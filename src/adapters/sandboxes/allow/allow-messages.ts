import { isObject } from "../../../core/json.ts";
import { base64Image } from "./inline-image.ts";
import {
  anything,
  byType,
  fields,
  flag,
  listOf,
  numberBetween,
  oneOf,
  onlyDefault,
  refuse,
  type FieldCheck,
  text,
  textOr,
  whole,
} from "./field-checks.ts";
import { anthropicTier, cacheControl, effort, modelName, tokenBound } from "./shared-fields.ts";

const textPart = fields({ type: text, text, cache_control: cacheControl }, { needs: ["text"] });

const image = fields(
  {
    type: text,
    source: byType("source of a picture", {
      base64: fields(
        {
          type: text,
          media_type: oneOf("image/png", "image/jpeg", "image/gif", "image/webp"),
          data: base64Image,
        },
        { needs: ["media_type", "data"] },
      ),
    }),
    cache_control: cacheControl,
  },
  { needs: ["source"] },
);

/** As plain text alone: a few bytes of a PDF can be many pages. */
const document = fields(
  {
    type: text,
    source: byType("source of a document", {
      text: fields({ type: text, media_type: oneOf("text/plain"), data: text }, { needs: ["data"] }),
    }),
    title: text,
    context: text,
    cache_control: cacheControl,
  },
  { needs: ["source"] },
);

const resultPart = byType("content part", {
  text: textPart,
  image,
  document,
  // the name of a tool of the same request
  tool_reference: fields({ type: text, tool_name: text }, { needs: ["tool_name"] }),
});

const part = byType("content part", {
  text: textPart,
  image,
  document,
  thinking: fields({ type: text, thinking: text, signature: text }, { needs: ["thinking"] }),
  redacted_thinking: fields({ type: text, data: text }, { needs: ["data"] }),
  tool_use: fields(
    { type: text, id: text, name: text, input: anything, cache_control: cacheControl },
    { needs: ["id", "name", "input"] },
  ),
  tool_result: fields(
    {
      type: text,
      tool_use_id: text,
      content: textOr(listOf(resultPart)),
      is_error: flag,
      cache_control: cacheControl,
    },
    { needs: ["tool_use_id"] },
  ),
});

const ownTool = fields(
  {
    type: text,
    name: text,
    description: text,
    input_schema: anything,
    input_examples: anything,
    strict: flag,
    eager_input_streaming: flag,
    defer_loading: flag,
    cache_control: cacheControl,
  },
  { needs: ["name", "input_schema"] },
);

/** Anthropic's own that run where the agent is. */
const knownTool = fields(
  { type: text, name: text, max_characters: whole(1, 1e9), cache_control: cacheControl },
  { needs: ["name"] },
);

const tool: FieldCheck = (value, path, look) => {
  const type = isObject(value) ? value["type"] : undefined;
  if (typeof type === "string" && /^(?:bash|text_editor)_\d{8}$/.test(type))
    return knownTool(value, path, look);
  return byType("tool", { custom: ownTool }, "custom")(value, path, look);
};

/** `{ type: "tool_uses", value: 3 }` */
const amount = fields({
  type: oneOf("tool_uses", "input_tokens", "thinking_turns"),
  value: whole(0, 1e9),
});

const edit = byType("edit of the context", {
  clear_thinking_20251015: fields({
    type: text,
    keep: (value, path, look) => (value === "all" ? value : amount(value, path, look)),
  }),
  clear_tool_uses_20250919: fields({
    type: text,
    trigger: amount,
    keep: amount,
    clear_at_least: amount,
    exclude_tools: listOf(text),
    clear_tool_inputs: (value, path, look) =>
      typeof value === "boolean" ? value : listOf(text)(value, path, look),
  }),
});

const answerFormat = byType("format of an answer", { json_schema: fields({ type: text, schema: anything }) });

/** Anthropic's messages, as Claude Code, OpenCode and pi speak them. */
export const messagesFields: Readonly<Record<string, FieldCheck>> = {
  model: modelName,
  messages: listOf(
    fields(
      { role: oneOf("user", "assistant", "system"), content: textOr(listOf(part)) },
      { needs: ["role", "content"] },
    ),
  ),
  system: textOr(listOf(byType("content part", { text: textPart }))),
  max_tokens: tokenBound,
  stream: flag,
  temperature: numberBetween(0, 1),
  top_p: numberBetween(0, 1),
  top_k: whole(0, 1000),
  stop_sequences: listOf(text, 100),
  tools: listOf(tool, 1000),
  tool_choice: byType("choice of a tool", {
    auto: fields({ type: text, disable_parallel_tool_use: flag }),
    any: fields({ type: text, disable_parallel_tool_use: flag }),
    none: fields({ type: text }),
    tool: fields({ type: text, name: text, disable_parallel_tool_use: flag }, { needs: ["name"] }),
  }),
  metadata: fields({ user_id: text }),
  thinking: byType("way of thinking", {
    enabled: fields({ type: text, budget_tokens: tokenBound, display: text }, { needs: ["budget_tokens"] }),
    adaptive: fields({ type: text, display: text }),
    disabled: fields({ type: text }),
  }),
  context_management: fields({ edits: listOf(edit, 16) }),
  output_config: fields({ effort, format: answerFormat }),
  output_format: answerFormat,
  cache_control: cacheControl,
  service_tier: anthropicTier,
  speed: onlyDefault("standard"),
};

/** Thoughts are a part of the answer, and its bound holds for both. */
export function checkThinking(body: Readonly<Record<string, unknown>>, bound: number): void {
  const thinking = body["thinking"];
  const budget = isObject(thinking) ? thinking["budget_tokens"] : undefined;
  if (typeof budget === "number" && budget >= bound)
    refuse("`thinking.budget_tokens` must be below `max_tokens`.");
}
