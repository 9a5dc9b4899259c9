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
  refuse,
  someOf,
  text,
  textOr,
  whole,
} from "./field-checks.ts";
import {
  customFormat,
  effort,
  jsonFormat,
  modelName,
  openaiTier,
  tokenBound,
  toolChoiceOf,
} from "./shared-fields.ts";

const part = byType("content part", {
  input_text: fields({ type: text, text }, { needs: ["text"] }),
  // what it quotes is told again by nobody
  output_text: fields({ type: text, text, annotations: always([]) }, { needs: ["text"] }),
  refusal: fields({ type: text, refusal: text }, { needs: ["refusal"] }),
  input_image: fields(
    { type: text, image_url: dataUrl, detail: oneOf("auto", "low", "high") },
    {
      needs: ["image_url"],
      never: { file_id: "refers to something that is kept at the provider, and is refused" },
    },
  ),
});

const thoughts = (type: string): FieldCheck =>
  listOf(byType("thought", { [type]: fields({ type: text, text }, { needs: ["text"] }) }));

/** Of an item that the provider made: a label, no reference. */
const made = { type: text, id: text, status: oneOf("in_progress", "completed", "incomplete") } as const;
const output = textOr(listOf(part));

const message = fields(
  {
    ...made,
    role: oneOf("user", "assistant", "system", "developer"),
    content: textOr(listOf(part)),
    phase: text,
  },
  { needs: ["role", "content"] },
);

const item: FieldCheck = byType(
  "input item",
  {
    message,
    function_call: fields(
      { ...made, call_id: text, name: text, namespace: text, arguments: text },
      { needs: ["call_id", "name", "arguments"] },
    ),
    function_call_output: fields({ ...made, call_id: text, output }, { needs: ["call_id", "output"] }),
    custom_tool_call: fields(
      { ...made, call_id: text, name: text, input: text },
      { needs: ["call_id", "name", "input"] },
    ),
    custom_tool_call_output: fields({ ...made, call_id: text, output }, { needs: ["call_id", "output"] }),
    local_shell_call: fields(
      {
        ...made,
        call_id: text,
        action: fields({
          type: oneOf("exec"),
          command: listOf(text),
          env: labels,
          timeout_ms: whole(0, 1e9),
          user: text,
          working_directory: text,
        }),
      },
      { needs: ["action"] },
    ),
    local_shell_call_output: fields({ ...made, call_id: text, output: text }, { needs: ["output"] }),
    reasoning: fields(
      {
        ...made,
        summary: thoughts("summary_text"),
        content: thoughts("reasoning_text"),
        encrypted_content: text,
      },
      { needs: ["summary"], nullable: ["encrypted_content"] },
    ),
  },
  // without a type it is a message, or, when it is an id alone, a reference: a message needs its content
  "message",
);

const plainTools = {
  function: fields(
    { type: text, name: text, description: text, parameters: anything, strict: flag },
    { needs: ["name"] },
  ),
  custom: fields({ type: text, name: text, description: text, format: customFormat }, { needs: ["name"] }),
} as const;

const tool = byType("tool", {
  ...plainTools,
  // it runs where the agent is
  local_shell: fields({ type: text }),
  namespace: fields(
    { type: text, name: text, description: text, tools: listOf(byType("tool", plainTools), 1000) },
    { needs: ["name", "tools"] },
  ),
});

const toolChoice = toolChoiceOf({
  function: fields({ type: text, name: text }, { needs: ["name"] }),
  custom: fields({ type: text, name: text }, { needs: ["name"] }),
});

/** OpenAI's responses, as Codex and OpenCode speak them. */
export const responsesFields: Readonly<Record<string, FieldCheck>> = {
  model: modelName,
  input: (value, path, look) =>
    typeof value === "string" || Array.isArray(value)
      ? textOr(listOf(item))(value, path, look)
      : refuse(`\`${path}\` must be a text or a list.`),
  instructions: text,
  max_output_tokens: tokenBound,
  stream: flag,
  stream_options: fields({ include_obfuscation: flag }),
  temperature: numberBetween(0, 2),
  top_p: numberBetween(0, 1),
  tools: listOf(tool, 1000),
  tool_choice: toolChoice,
  parallel_tool_calls: flag,
  reasoning: fields({ effort, summary: oneOf("auto", "concise", "detailed", "none") }),
  text: fields({
    format: byType("format of an answer", {
      text: fields({ type: text }),
      json_object: fields({ type: text }),
      json_schema: fields({ type: text, ...jsonFormat }),
    }),
    verbosity: oneOf("low", "medium", "high"),
  }),
  truncation: oneOf("auto", "disabled"),
  include: someOf("reasoning.encrypted_content"),
  store: always(false),
  client_metadata: labels,
  metadata: labels,
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  service_tier: openaiTier,
};
