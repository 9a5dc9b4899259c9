import type { IncomingHttpHeaders } from "node:http";

/** What a provider received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/**
 * Why a request should never have been sent on; undefined when all is well. It shares nothing with the proxy's own
 * rules: it reads the whole tree, and knows every key, every type and every word that may stand there.
 */
export function findForbidden({ path, headers, body }: Received): string | undefined {
  const words = vocabularies[path.replace(/\?beta=true$/, "")];
  if (words === undefined) return `the path ${path}`;
  const odd = Object.keys(headers).find((name) => !headerNames.has(name));
  if (odd !== undefined) return `the header ${odd}`;
  const beta = String(headers["anthropic-beta"] ?? "").split(",");
  const feature = beta.find((one) => one !== "" && !features.has(one));
  if (feature !== undefined) return `the feature ${feature}`;
  return findAtTop(body, words) ?? findInside(body, "", words);
}

interface Vocabulary {
  readonly top: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly bounds: readonly string[];
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ""));

const headerNames = set(`host connection content-length content-type accept accept-encoding accept-language
  sec-fetch-mode user-agent authorization x-api-key idempotency-key anthropic-version anthropic-beta openai-beta
  anthropic-dangerous-direct-browser-access x-stainless-arch x-stainless-lang x-stainless-os x-stainless-package-version
  x-stainless-retry-count x-stainless-runtime x-stainless-runtime-version x-stainless-timeout x-stainless-helper-method
  x-app x-claude-code-session-id x-codex-window-id x-codex-turn-metadata x-codex-installation-id originator session-id
  session_id conversation_id version`);
const features = set(`claude-code-20250219 oauth-2025-04-20 interleaved-thinking-2025-05-14
  fine-grained-tool-streaming-2025-05-14 context-management-2025-06-27 effort-2025-11-24 structured-outputs-2025-11-13 structured-outputs-2025-12-15
  prompt-caching-scope-2026-01-05 redact-thinking-2026-02-12 mid-conversation-system-2026-04-07
  thinking-token-count-2026-05-13 thinking-display-updates-2026-08-18`);

const vocabularies: Readonly<Record<string, Vocabulary>> = {
  "/v1/chat/completions": {
    top: set(`model messages max_tokens max_completion_tokens n stream stream_options temperature top_p top_k
      presence_penalty frequency_penalty seed stop tools tool_choice parallel_tool_calls response_format reasoning_effort
      reasoning thinking enable_thinking verbosity usage store metadata user safety_identifier prompt_cache_key service_tier`),
    keys: set(`type text cache_control refusal image_url url detail id index function custom name arguments input
      signature format summary data role content tool_calls tool_call_id reasoning reasoning_content reasoning_text
      reasoning_details description parameters strict syntax definition grammar include_usage include_obfuscation
      json_schema schema effort enabled exclude include`),
    types:
      set(`text refusal image_url function custom reasoning.text reasoning.summary reasoning.encrypted json_object
      json_schema enabled disabled ephemeral grammar`),
    bounds: ["max_tokens", "max_completion_tokens"],
  },
  "/v1/responses": {
    top: set(`model input instructions max_output_tokens stream stream_options temperature top_p tools tool_choice
      parallel_tool_calls reasoning text truncation include store client_metadata metadata user safety_identifier
      prompt_cache_key service_tier`),
    keys: set(`type text annotations refusal image_url detail id status role content phase call_id name namespace
      arguments output input action command env timeout_ms user working_directory summary encrypted_content description
      parameters strict format syntax definition grammar tools include_obfuscation effort schema verbosity`),
    types: set(`input_text output_text refusal input_image summary_text reasoning_text message function_call
      function_call_output custom_tool_call custom_tool_call_output local_shell_call local_shell_call_output reasoning exec
      function custom local_shell namespace text json_object json_schema grammar`),
    bounds: ["max_output_tokens"],
  },
  "/v1/messages": {
    top: set(`model messages system max_tokens stream temperature top_p top_k stop_sequences tools tool_choice metadata
      thinking context_management output_config output_format cache_control service_tier`),
    keys: set(`type text cache_control source media_type data title context tool_name thinking signature id name input
      tool_use_id content is_error role description input_schema input_examples strict eager_input_streaming defer_loading
      max_characters disable_parallel_tool_use user_id budget_tokens display edits keep trigger value clear_at_least
      exclude_tools clear_tool_inputs effort format schema`),
    types:
      set(`text image document base64 thinking redacted_thinking tool_use tool_result tool_reference custom auto any
      none tool enabled adaptive disabled clear_thinking_20251015 clear_tool_uses_20250919 tool_uses input_tokens
      thinking_turns json_schema ephemeral bash_20250124 text_editor_20250728`),
    bounds: ["max_tokens"],
  },
};

/** Keys whose text is for a reader, and keys whose JSON is the agent's own. */
const prose =
  set(`text content output arguments instructions system thinking signature data encrypted_content reasoning
  reasoning_content reasoning_text summary description refusal input definition title context stop stop_sequences name id
  call_id tool_call_id tool_use_id tool_name namespace user user_id prompt_cache_key safety_identifier phase format display
  command working_directory exclude_tools clear_tool_inputs metadata client_metadata env`);
const free = set("parameters input_schema input_examples schema metadata client_metadata env");

function findAtTop(body: unknown, { top, bounds }: Vocabulary): string | undefined {
  if (!isObject(body)) return "a body that is no object";
  const strange = Object.keys(body).find((key) => !top.has(key));
  if (strange !== undefined) return `the field ${strange}`;
  const present = bounds.filter((name) => name in body);
  const bound = body[present[0] ?? ""];
  if (present.length !== 1) return `${present.length} bounds`;
  if (typeof bound !== "number" || !Number.isSafeInteger(bound) || bound < 1 || bound > 1e6)
    return `the bound ${String(bound)}`;
  if ("n" in body && body["n"] !== 1) return "several choices";
  if (
    "service_tier" in body &&
    body["service_tier"] !== "default" &&
    body["service_tier"] !== "standard_only"
  )
    return "another tier";
  if ("store" in body && body["store"] !== false) return "something to keep";
  if (typeof body["model"] !== "string" || /online|preset/.test(body["model"])) return "another model";
  const thinking = body["thinking"];
  if (isObject(thinking) && Number(thinking["budget_tokens"] ?? 0) >= bound)
    return "thoughts above the bound";
  return undefined;
}

function findInside(value: unknown, key: string, words: Vocabulary): string | undefined {
  if (typeof value === "string") return findInText(value, key);
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "a number that is none";
  if (Array.isArray(value)) return first(value, (inner) => findInside(inner, key, words));
  if (!isObject(value)) return undefined;
  const type = value["type"];
  if (type !== undefined && (typeof type !== "string" || !words.types.has(type)))
    return `the type ${JSON.stringify(type)}`;
  const isAnswer = key === "input" && words.types.has("input_text");
  if (isAnswer && type === undefined && !("role" in value && "content" in value)) return "a reference";
  return first(Object.entries(value), ([name, inner]) => {
    // the top has a list of its own
    if (key !== "" && !words.keys.has(name)) return `the key ${key}.${name}`;
    if (free.has(name) || (name === "input" && type === "tool_use")) return undefined;
    return findInside(inner, name, words);
  });
}

function findInText(value: string, key: string): string | undefined {
  if (key === "url" || key === "image_url")
    return value.startsWith("data:image/") ? undefined : `an address in ${key}`;
  if (prose.has(key)) return undefined;
  return /^[\w .:/@+-]{0,200}$/.test(value) && !value.includes("//") ? undefined : `words in ${key}`;
}

function first<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
