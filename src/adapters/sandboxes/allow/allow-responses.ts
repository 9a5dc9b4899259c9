import { dataUrl } from "./inline-image.ts";
import {
  always,
  anything,
  byType,
  fields,
  flag,
  labels,
  listOf,
  needed,
  oneOf,
  orNull,
  type FieldCheck,
  type FieldTable,
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
  keptThere,
  modelName,
  openaiFields,
  tokenBound,
  toolChoiceOf,
} from "./shared-fields.ts";

const part = byType("content part", {
  input_text: { text: needed(text) },
  // nobody needs its quotes repeated
  output_text: { text: needed(text), annotations: always([]) },
  refusal: { refusal: needed(text) },
  input_image: {
    image_url: needed(dataUrl),
    detail: oneOf("auto", "low", "high"),
    file_id: keptThere,
  },
});

const thoughts = (type: string): FieldCheck => listOf(byType("thought", { [type]: { text: needed(text) } }));

/** For an item the provider made: a label, not a reference. */
const made = { id: text, status: oneOf("in_progress", "completed", "incomplete") } as const;

const output = textOr(listOf(part));

/** For a tool that was called. */
const result = { ...made, call_id: needed(text), output: needed(output) } as const;

const item: FieldCheck = byType(
  "input item",
  {
    message: {
      ...made,
      role: needed(oneOf("user", "assistant", "system", "developer")),
      content: needed(textOr(listOf(part))),
      phase: text,
    },
    function_call: {
      ...made,
      call_id: needed(text),
      name: needed(text),
      namespace: text,
      arguments: needed(text),
    },
    function_call_output: result,
    custom_tool_call: { ...made, call_id: needed(text), name: needed(text), input: needed(text) },
    custom_tool_call_output: result,
    local_shell_call: {
      ...made,
      call_id: text,
      action: needed(
        fields({
          type: oneOf("exec"),
          command: listOf(text),
          env: labels,
          timeout_ms: whole(0, 1e9),
          user: text,
          working_directory: text,
        }),
      ),
    },
    local_shell_call_output: { ...made, call_id: text, output: needed(text) },
    reasoning: {
      ...made,
      summary: needed(thoughts("summary_text")),
      content: thoughts("reasoning_text"),
      encrypted_content: orNull(text),
    },
  },
  // without a type it's a message or, if it has just an id, a reference; a message needs its content
  "message",
);

const plainTools = {
  function: { name: needed(text), description: text, parameters: anything, strict: flag },
  custom: { name: needed(text), description: text, format: customFormat },
} as const;

const tool = byType("tool", {
  ...plainTools,
  // it runs where the agent runs
  local_shell: {},
  namespace: {
    name: needed(text),
    description: text,
    tools: needed(listOf(byType("tool", plainTools), 1000)),
  },
});

/** OpenAI responses, as used by Codex and OpenCode. */
export const responsesFields: FieldTable = {
  ...openaiFields,
  model: needed(modelName),
  input: (value, path, look) =>
    typeof value === "string" || Array.isArray(value)
      ? textOr(listOf(item))(value, path, look)
      : refuse(`\`${path}\` must be a string or a list.`),
  instructions: text,
  max_output_tokens: tokenBound,
  stream_options: fields({ include_obfuscation: flag }),
  tools: listOf(tool, 1000),
  tool_choice: toolChoiceOf({ function: { name: needed(text) }, custom: { name: needed(text) } }),
  reasoning: fields({ effort, summary: oneOf("auto", "concise", "detailed", "none") }),
  text: fields({
    format: byType("answer format", {
      text: {},
      json_object: {},
      json_schema: jsonFormat,
    }),
    verbosity: oneOf("low", "medium", "high"),
  }),
  truncation: oneOf("auto", "disabled"),
  include: someOf("reasoning.encrypted_content"),
  client_metadata: labels,
};
