import {
  always,
  anything,
  byType,
  fields,
  flag,
  dropField,
  forbidden,
  labels,
  needed,
  numberBetween,
  oneOf,
  onlyDefault,
  refuse,
  type FieldCheck,
  type FieldTable,
  text,
  whole,
} from "./field-checks.ts";

/** A token limit. The value sent is also the value reserved. */
export const tokenBound: FieldCheck = whole(1, 1_000_000);

/** Rejects suffixes that some servers interpret: `:online` searches the web, `@preset` is stored at the provider. */
export const modelName: FieldCheck = (value, path) =>
  typeof value === "string" && /^[\w./:@+-]{1,200}$/.test(value) && !/:online\b|@preset\b|\/\//.test(value)
    ? value
    : refuse(`\`${path}\` must be a plain model name.`);

export const effort: FieldCheck = oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max");

/** A longer cache lifetime has another price, so only the usual one is sent. */
export const cacheControl: FieldCheck = fields({ type: needed(oneOf("ephemeral")) });

export const jsonFormat = {
  name: text,
  description: text,
  schema: anything,
  strict: flag,
} as const satisfies FieldTable;

const grammar: FieldCheck = fields({ syntax: oneOf("lark", "regex"), definition: text });

/** How OpenAI's custom tools describe their input. */
export const customFormat: FieldCheck = byType("tool format", {
  text: {},
  grammar: { syntax: oneOf("lark", "regex"), definition: text, grammar },
});

/** Only one tier: the one the price is for. */
const openaiTier: FieldCheck = (value, path, look) =>
  value === "default" ? value : onlyDefault("default", "auto")(value, path, look);

export const anthropicTier: FieldCheck = (value, path, look) =>
  value === "standard_only" ? value : onlyDefault("standard_only", "auto")(value, path, look);

/** Fields that both OpenAI wires accept. */
export const openaiFields: FieldTable = {
  stream: flag,
  temperature: numberBetween(0, 2),
  top_p: numberBetween(0, 1),
  parallel_tool_calls: flag,
  store: always(false),
  metadata: labels,
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  service_tier: openaiTier,
};

const another = forbidden("names a model or server other than the one with a known price, so it's refused");
const outside = forbidden("would make the provider reach outside this sandbox, so it's refused");
export const keptThere = forbidden("refers to something stored at the provider, so it's refused");
const dearer = forbidden("changes the price of a token, so it's refused");

/** Refused on every wire, at the top of a request. No setting allows these. */
export const neverAllowed: FieldTable = {
  models: another,
  fallbacks: another,
  route: another,
  provider: another,
  plugins: outside,
  web_search_options: outside,
  search_parameters: outside,
  enable_search: outside,
  web_search: outside,
  data_sources: outside,
  mcp_servers: outside,
  functions: forbidden("is the old way to name tools, so it's refused"),
  previous_response_id: keptThere,
  conversation: keptThere,
  prompt: keptThere,
  container: keptThere,
  file_ids: keptThere,
  vector_store_ids: keptThere,
  background: forbidden("would continue without this sandbox, so it's refused"),
  prediction: dearer,
  modalities: dearer,
  audio: dearer,
  inference_geo: dearer,
  best_of: dearer,
};

/**
 * Names that `proxy.allow` may not add: those above, and any whose name suggests a tool, address, model, tier, token
 * limit or the conversation itself.
 */
export const cannotBeAllowed = (name: string): boolean =>
  Object.hasOwn(neverAllowed, name) ||
  Object.hasOwn(Object.prototype, name) ||
  !/^[a-z][a-z0-9_]{0,63}$/.test(name) ||
  /tool|function|plugin|mcp|url|uri|link|host|model|tier|speed|priority|search|fetch|file|document|image|token|predict|length|choice|count|container|server|agent|message|input|system|instruction|beta|extra|header|^n$|^num_|^n_/.test(
    name,
  );

/** A field that the settings allow: numbers, flags and short texts, one level deep, without addresses. */
export const plainValue: FieldCheck = (value, path, look) => {
  if (isPlain(value)) return value;
  const inner = Array.isArray(value)
    ? value
    : typeof value === "object" && value !== null && !Object.keys(value).some(cannotBeAllowed)
      ? Object.values(value)
      : [undefined];
  if (inner.length <= 64 && inner.every(isPlain)) return value;
  look.removed.add(path);
  return dropField;
};

const isPlain = (value: unknown): boolean =>
  typeof value === "boolean" ||
  typeof value === "number" ||
  (typeof value === "string" && value.length <= 1000 && !/:\/\/|^\s*data:|^www\./i.test(value));

/** The tool the model must use: a keyword, or the name of one of the agent's own tools. */
export const toolChoiceOf =
  (named: Readonly<Record<string, FieldTable>>): FieldCheck =>
  (value, path, look) =>
    typeof value === "string"
      ? oneOf("auto", "none", "required")(value, path, look)
      : byType("tool choice", named)(value, path, look);
