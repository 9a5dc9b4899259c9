import { dataUrl } from "./inline-image.ts";
import {
  always,
  anything,
  byType,
  fields,
  flag,
  labels,
  listOf,
  numberBetween,
  oneOf,
  type FieldCheck,
  text,
  textOr,
  whole,
} from "./field-checks.ts";
import {
  cacheControl,
  customFormat,
  effort,
  jsonFormat,
  modelName,
  openaiTier,
  tokenBound,
  toolChoiceOf,
} from "./shared-fields.ts";

const part = byType("content part", {
  text: fields({ type: text, text, cache_control: cacheControl }, { needs: ["text"] }),
  refusal: fields({ type: text, refusal: text }, { needs: ["refusal"] }),
  image_url: fields(
    {
      type: text,
      image_url: fields({ url: dataUrl, detail: oneOf("auto", "low", "high") }, { needs: ["url"] }),
      cache_control: cacheControl,
    },
    { needs: ["image_url"] },
  ),
});

const named = fields({ name: text }, { needs: ["name"] });

const toolCall = byType(
  "tool call",
  {
    function: fields(
      { id: text, type: text, index: whole(0, 1000), function: fields({ name: text, arguments: text }) },
      { needs: ["function"] },
    ),
    custom: fields(
      { id: text, type: text, custom: fields({ name: text, input: text }) },
      { needs: ["custom"] },
    ),
  },
  "function",
);

/** Thoughts as the servers that show them want them back. */
const thought = byType("thought", {
  "reasoning.text": fields({
    type: text,
    text,
    signature: text,
    id: text,
    format: text,
    index: whole(0, 1000),
  }),
  "reasoning.summary": fields({ type: text, summary: text, id: text, format: text, index: whole(0, 1000) }),
  "reasoning.encrypted": fields({ type: text, data: text, id: text, format: text, index: whole(0, 1000) }),
});

const message = fields(
  {
    role: oneOf("system", "developer", "user", "assistant", "tool"),
    content: textOr(listOf(part)),
    name: text,
    refusal: text,
    tool_calls: listOf(toolCall),
    tool_call_id: text,
    reasoning: text,
    reasoning_content: text,
    reasoning_text: text,
    reasoning_details: listOf(thought),
    cache_control: cacheControl,
  },
  {
    needs: ["role"],
    nullable: ["content"],
    never: { audio: "refers to something that is kept at the provider, and is refused" },
  },
);

const tool = byType("tool", {
  function: fields(
    {
      type: text,
      function: fields(
        { name: text, description: text, parameters: anything, strict: flag },
        { needs: ["name"] },
      ),
      cache_control: cacheControl,
    },
    { needs: ["function"] },
  ),
  custom: fields(
    {
      type: text,
      custom: fields({ name: text, description: text, format: customFormat }, { needs: ["name"] }),
    },
    { needs: ["custom"] },
  ),
});

const toolChoice = toolChoiceOf({
  function: fields({ type: text, function: named }, { needs: ["function"] }),
  custom: fields({ type: text, custom: named }, { needs: ["custom"] }),
});

/** OpenAI's chat completions, as OpenCode, pi and the servers that copy it speak them. */
export const chatFields: Readonly<Record<string, FieldCheck>> = {
  model: modelName,
  messages: listOf(message),
  max_tokens: tokenBound,
  max_completion_tokens: tokenBound,
  n: oneOf(1),
  stream: flag,
  stream_options: fields({ include_usage: flag, include_obfuscation: flag }),
  temperature: numberBetween(0, 2),
  top_p: numberBetween(0, 1),
  top_k: whole(0, 1000),
  presence_penalty: numberBetween(-2, 2),
  frequency_penalty: numberBetween(-2, 2),
  seed: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  stop: textOr(listOf(text, 16)),
  tools: listOf(tool, 1000),
  tool_choice: toolChoice,
  parallel_tool_calls: flag,
  response_format: byType("format of an answer", {
    text: fields({ type: text }),
    json_object: fields({ type: text }),
    json_schema: fields({ type: text, json_schema: fields(jsonFormat) }),
  }),
  reasoning_effort: effort,
  reasoning: fields({ effort, enabled: flag, exclude: flag }),
  thinking: fields({ type: oneOf("enabled", "disabled") }),
  enable_thinking: flag,
  verbosity: oneOf("low", "medium", "high"),
  usage: fields({ include: flag }),
  store: always(false),
  metadata: labels,
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  service_tier: openaiTier,
};
