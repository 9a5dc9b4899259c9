import { isObject } from "../../../core/json.ts";
import { base64Image } from "./inline-image.ts";
import {
  anything,
  byType,
  fields,
  flag,
  listOf,
  needed,
  numberBetween,
  oneOf,
  onlyDefault,
  refuse,
  type FieldCheck,
  type FieldTable,
  text,
  textOr,
  whole,
} from "./field-checks.ts";
import { anthropicTier, cacheControl, effort, modelName, tokenBound } from "./shared-fields.ts";

const textPart = { text: needed(text), cache_control: cacheControl } as const;

const image = {
  source: needed(
    byType("image source", {
      base64: {
        media_type: needed(oneOf("image/png", "image/jpeg", "image/gif", "image/webp")),
        data: needed(base64Image),
      },
    }),
  ),
  cache_control: cacheControl,
} as const;

/** Plain text only, because a few bytes of a PDF can be many pages. */
const document = {
  source: needed(
    byType("document source", { text: { media_type: oneOf("text/plain"), data: needed(text) } }),
  ),
  title: text,
  context: text,
  cache_control: cacheControl,
} as const;

const resultPart = byType("content part", {
  text: textPart,
  image,
  document,
  // the name of a tool in the same request
  tool_reference: { tool_name: needed(text) },
});

const part = byType("content part", {
  text: textPart,
  image,
  document,
  thinking: { thinking: needed(text), signature: text },
  redacted_thinking: { data: needed(text) },
  tool_use: { id: needed(text), name: needed(text), input: needed(anything), cache_control: cacheControl },
  tool_result: {
    tool_use_id: needed(text),
    content: textOr(listOf(resultPart)),
    is_error: flag,
    cache_control: cacheControl,
  },
});

const ownTool = {
  name: needed(text),
  description: text,
  input_schema: needed(anything),
  input_examples: anything,
  strict: flag,
  eager_input_streaming: flag,
  defer_loading: flag,
  cache_control: cacheControl,
} as const;

/** Anthropic's own tools that run where the agent runs. */
const knownTool = fields({
  type: text,
  name: needed(text),
  max_characters: whole(1, 1e9),
  cache_control: cacheControl,
});

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

const edit = byType("context edit", {
  clear_thinking_20251015: {
    keep: (value, path, look) => (value === "all" ? value : amount(value, path, look)),
  },
  clear_tool_uses_20250919: {
    trigger: amount,
    keep: amount,
    clear_at_least: amount,
    exclude_tools: listOf(text),
    clear_tool_inputs: (value, path, look) =>
      typeof value === "boolean" ? value : listOf(text)(value, path, look),
  },
});

const answerFormat = byType("answer format", { json_schema: { schema: anything } });

/** Anthropic messages, as used by Claude Code, OpenCode and pi. */
export const messagesFields: FieldTable = {
  model: needed(modelName),
  messages: listOf(
    fields({
      role: needed(oneOf("user", "assistant", "system")),
      content: needed(textOr(listOf(part))),
    }),
  ),
  system: textOr(listOf(byType("content part", { text: textPart }))),
  max_tokens: tokenBound,
  stream: flag,
  temperature: numberBetween(0, 1),
  top_p: numberBetween(0, 1),
  top_k: whole(0, 1000),
  stop_sequences: listOf(text, 100),
  tools: listOf(tool, 1000),
  tool_choice: byType("tool choice", {
    auto: { disable_parallel_tool_use: flag },
    any: { disable_parallel_tool_use: flag },
    none: {},
    tool: { name: needed(text), disable_parallel_tool_use: flag },
  }),
  metadata: fields({ user_id: text }),
  thinking: byType("thinking mode", {
    enabled: { budget_tokens: needed(tokenBound), display: text },
    adaptive: { display: text },
    disabled: {},
  }),
  context_management: fields({ edits: listOf(edit, 16) }),
  output_config: fields({ effort, format: answerFormat }),
  output_format: answerFormat,
  cache_control: cacheControl,
  service_tier: anthropicTier,
  speed: onlyDefault("standard"),
};

/** Thinking is part of the answer, so the answer's limit covers both. */
export function checkThinking(body: Readonly<Record<string, unknown>>, bound: number): void {
  const thinking = body["thinking"];
  const budget = isObject(thinking) ? thinking["budget_tokens"] : undefined;
  if (typeof budget === "number" && budget >= bound)
    refuse("`thinking.budget_tokens` must be below `max_tokens`.");
}
