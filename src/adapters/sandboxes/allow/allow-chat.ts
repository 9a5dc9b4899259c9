import { dataUrl } from "./inline-image.ts";
import {
  anything,
  byType,
  fields,
  flag,
  listOf,
  needed,
  numberBetween,
  oneOf,
  orNull,
  type FieldTable,
  text,
  textOr,
  whole,
} from "./field-checks.ts";
import {
  cacheControl,
  customFormat,
  effort,
  jsonFormat,
  keptThere,
  modelName,
  openaiFields,
  tokenBound,
  toolChoiceOf,
} from "./shared-fields.ts";

const part = byType("content part", {
  text: { text: needed(text), cache_control: cacheControl },
  refusal: { refusal: needed(text) },
  image_url: {
    image_url: needed(fields({ url: needed(dataUrl), detail: oneOf("auto", "low", "high") })),
    cache_control: cacheControl,
  },
});

const named = needed(fields({ name: needed(text) }));
const nth = whole(0, 1000);

const toolCall = byType(
  "tool call",
  {
    function: { id: text, index: nth, function: needed(fields({ name: text, arguments: text })) },
    custom: { id: text, custom: needed(fields({ name: text, input: text })) },
  },
  "function",
);

/** Reasoning, in the form that servers showing it expect back. */
const thought = byType("thought", {
  "reasoning.text": { text, signature: text, id: text, format: text, index: nth },
  "reasoning.summary": { summary: text, id: text, format: text, index: nth },
  "reasoning.encrypted": { data: text, id: text, format: text, index: nth },
});

const message = fields({
  role: needed(oneOf("system", "developer", "user", "assistant", "tool")),
  content: orNull(textOr(listOf(part))),
  name: text,
  refusal: text,
  tool_calls: listOf(toolCall),
  tool_call_id: text,
  reasoning: text,
  reasoning_content: text,
  reasoning_text: text,
  reasoning_details: listOf(thought),
  cache_control: cacheControl,
  audio: keptThere,
});

const tool = byType("tool", {
  function: {
    function: needed(fields({ name: needed(text), description: text, parameters: anything, strict: flag })),
    cache_control: cacheControl,
  },
  custom: { custom: needed(fields({ name: needed(text), description: text, format: customFormat })) },
});

/** OpenAI chat completions, as used by OpenCode, pi and compatible servers. */
export const chatFields: FieldTable = {
  ...openaiFields,
  model: needed(modelName),
  messages: listOf(message),
  max_tokens: tokenBound,
  max_completion_tokens: tokenBound,
  n: oneOf(1),
  stream_options: fields({ include_usage: flag, include_obfuscation: flag }),
  top_k: whole(0, 1000),
  presence_penalty: numberBetween(-2, 2),
  frequency_penalty: numberBetween(-2, 2),
  seed: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  stop: textOr(listOf(text, 16)),
  tools: listOf(tool, 1000),
  tool_choice: toolChoiceOf({ function: { function: named }, custom: { custom: named } }),
  response_format: byType("answer format", {
    text: {},
    json_object: {},
    json_schema: { json_schema: fields(jsonFormat) },
  }),
  reasoning_effort: effort,
  reasoning: fields({ effort, enabled: flag, exclude: flag }),
  thinking: fields({ type: oneOf("enabled", "disabled") }),
  enable_thinking: flag,
  verbosity: oneOf("low", "medium", "high"),
  usage: fields({ include: flag }),
};
