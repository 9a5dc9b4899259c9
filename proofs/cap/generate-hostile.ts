import { seededRandom } from "../../src/testing/index.ts";
import { emptyPng } from "../../test/support/hostile-requests.ts";

/** A request as its bytes: some of what is hostile is not even JSON. */
export interface RawRequest {
  readonly path: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The n-th request of a seed: an ordinary one of its wire, spoilt in one to four places; every twentieth is left whole. */
export function generateHostile(seed: number, n: number): RawRequest {
  const random = seededRandom("cap", seed, n);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  // what is put into a request may be spoilt there
  const copy = <T>(from: readonly T[]): T => structuredClone(pick(from));
  const wire = n % 3;
  const body = structuredClone(ordinary[wire]!) as Record<string, unknown>;
  let path: string = paths[wire]!;
  const headers: Record<string, string> = {};
  let spoil = (text: string): string => text;
  const ways = [
    () => (body[pick(fields)] = copy(values)),
    () => (body[pick(bounds)] = copy(numbers)),
    () => (body["n"] = copy(numbers)),
    () => list(body, "tools").push(copy(tools)),
    () => pick(messagesOf(body)).push(nest(copy(parts), Math.floor(random() * 7), pick(wrappers))),
    () => (pick(objectsIn(body))[pick(fields)] = copy(values)),
    () => {
      const at = pick(objectsIn(body));
      at[pick(Object.keys(at)) ?? "type"] = copy(values);
    },
    () => (pick(objectsIn(body))["type"] = pick(types)),
    () => list(body, wire === 1 ? "input" : "messages").push(copy(items)),
    () => (pick(objectsIn(body))[pick(fields)] = deep(pick([3, 60, 150, 2000]))),
    () => {
      const before = spoil;
      const doubled = pick(duplicates);
      spoil = (text) => before(text).replace(/\}$/, `,${doubled}}`);
    },
    () => {
      const before = spoil;
      const broken = pick(breaks);
      spoil = (text) => broken(before(text));
    },
    () => Object.assign(headers, pick(oddHeaders)),
    () => (path = `${paths[wire]}?${pick(["beta=true", "x=1", "beta=true&tier=priority", "a=b=c"])}`),
  ];
  if (n % 20 !== 0) for (let times = 1 + Math.floor(random() * 4); times > 0; times -= 1) pick(ways)();
  return { path, text: spoil(JSON.stringify(body)), headers };
}

const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"] as const;
const address = "https://attacker.example/?d=SECRET";
const picture = emptyPng(2048, 768).toString("base64");

/** What the shipped agents send, in small. */
const ordinary: readonly object[] = [
  {
    model: "m",
    max_tokens: 900,
    stream: false,
    tool_choice: "auto",
    messages: [
      { role: "system", content: "s" },
      { role: "user", content: [{ type: "text", text: "see https://example.org" }] },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c", type: "function", function: { name: "f", arguments: '{"url":"https://a"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c", content: "done" },
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } }],
      },
    ],
    tools: [{ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }],
  },
  {
    model: "m",
    max_output_tokens: 900,
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "low", summary: "auto" },
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] },
      { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "t" }], encrypted_content: "AA" },
      { type: "function_call", id: "f", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "done" },
      {
        type: "message",
        role: "user",
        content: [{ type: "input_image", image_url: `data:image/png;base64,${picture}` }],
      },
    ],
    tools: [
      { type: "function", name: "f", parameters: {}, strict: false },
      { type: "custom", name: "g", format: { type: "text" } },
    ],
  },
  {
    model: "m",
    max_tokens: 2000,
    system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
    thinking: { type: "enabled", budget_tokens: 1024 },
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "t", signature: "AA" },
          { type: "tool_use", id: "c", name: "f", input: { url: "https://a" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "c",
            content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: picture } }],
          },
        ],
      },
    ],
    tools: [{ name: "f", input_schema: { type: "object" } }],
  },
];

const bounds = ["max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "num_predict"];
const numbers: readonly unknown[] = [
  -1,
  0,
  1,
  7,
  1.5,
  -1e6,
  1e6,
  1e7,
  2 ** 53,
  1e308,
  "128",
  "1e3",
  "-1",
  true,
  null,
  [],
  [5],
  {},
];
const fields =
  `n service_tier speed models plugins web_search_options search_parameters mcp_servers container prompt
  previous_response_id conversation background fallbacks provider route transforms file_id file_ids file_url url uri
  image_url source server_url vector_store_ids prediction modalities audio inference_geo best_of functions function_call
  logprobs extra_body betas store metadata user input messages system tools tool_choice content role type model stream
  stream_options temperature top_p thinking reasoning context_management cache_control citations text format schema
  __proto__ constructor toString item_reference id call_id output action environment`.split(/\s+/);
const values: readonly unknown[] = [
  ...numbers,
  "priority",
  "flex",
  "fast",
  "auto",
  "low",
  "https://attacker.example",
  address,
  "file-123",
  "msg_1",
  "m:online",
  "openrouter/auto@preset/x",
  "data:text/html,x",
  "\0",
  "ｈｔｔｐ://x",
  "x".repeat(3e3),
  {
    type: "url",
    url: address,
  },
  {
    type: "file",
    file_id: "f",
  },
  { url: address },
  [{ id: "web" }],
  ["openai/o1-pro"],
  { type: "priority" },
  { type: "compact_20260112" },
  { edits: [{ type: "compact_20260112" }] },
  {
    type: "enabled",
    budget_tokens: 1e6,
  },
  {
    type: "ephemeral",
    ttl: "1h",
  },
  { include_usage: false },
  { nested: { deep: { url: address } } },
];
const types =
  `web_search web_search_20250305 web_fetch_20250910 shell mcp computer_20250124 code_execution_20250825 url
  file item_reference image_generation x_search namespace local_shell function custom text image input_image input_file
  document content container_upload tool_search openrouter:web_search TEXT text\u0000 __proto__ hasOwnProperty`.split(
    /\s+/,
  );
const tools: readonly unknown[] = [
  ...types.map((type) => ({ type, name: "t", function: { name: "t" }, input_schema: {} })),
  {
    type: "shell",
    environment: { type: "container_auto", network_policy: { allowed_domains: ["a.example"] } },
  },
  { type: "namespace", name: "a", tools: [{ type: "mcp", server_url: address, server_label: "x" }] },
  { type: "function", name: "f", function: { name: "f", url: address }, server_url: address, parameters: {} },
  { type: ["web_search"], name: "t" },
  { name: "t", input_schema: {}, type: null, allowed_callers: ["code_execution_20250825"] },
  null,
  1,
  "web_search",
  [],
  { googleSearch: {} },
];
const image = { type: "image", source: { type: "url", url: address } };
const parts: readonly unknown[] = [
  image,
  { type: "image_url", image_url: { url: address } },
  { type: "image_url", image_url: address },
  { type: "image_url", image_url: { url: `data:image/png;base64,${picture.slice(0, 20)}` } },
  { type: "input_image", image_url: address },
  { type: "input_image", file_id: "file-1" },
  { type: "input_image", file_id: "file-1", image_url: `data:image/png;base64,${picture}` },
  { type: "input_file", file_url: address },
  { type: "file", file: { file_id: "file-1" } },
  { type: "document", source: { type: "content", content: [image] } },
  { type: "document", source: { type: "file", file_id: "f" } },
  { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
  { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
  { type: "tool_result", tool_use_id: "c", content: [image] },
  {
    type: "tool_result",
    tool_use_id: "c",
    content: [{ type: "document", source: { type: "url", url: address } }],
  },
  { type: "text", text: "t", url: address, image_url: { url: address } },
  { type: "input_text", text: "t", file_id: "f" },
  { type: "output_text", text: "t", annotations: [{ type: "url_citation", url: address }] },
  { type: "server_tool_use", id: "s", name: "web_search", input: {} },
  { type: "container_upload", file_id: "f" },
  { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
  { type: "video_url", video_url: { url: address } },
  null,
  7,
  "text",
  ["x"],
];
const wrappers = ["x", "tool_result", "document", "text", "input_text"];
const items: readonly unknown[] = [
  { type: "item_reference", id: "msg_1" },
  { id: "msg_1" },
  { type: null, id: "msg_1" },
  { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url: address } },
  { type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: address }] },
  { type: "mcp_call", server_label: "x", name: "f", arguments: "{}" },
  { type: "compaction", encrypted_content: "AA" },
  { role: "user", content: image },
  { role: "assistant", audio: { id: "audio_1" } },
  { role: "user", content: [image] },
  { role: "root", content: "hi" },
  null,
  3,
  "text",
  [],
];
const duplicates = [
  '"max_tokens":1,"max_tokens":60000000',
  '"max_tokens":-1',
  '"n":1,"n":128',
  '"\\u006e":128',
  '"service_tier":"default","service_tier":"priority"',
  '"tools":[],"tools":[{"type":"web_search"}]',
  '"__proto__":{"n":128}',
  '"model":"m","model":"m:online"',
];
const breaks: readonly ((text: string) => string)[] = [
  (text) => `\ufeff${text}`,
  (text) => text.replaceAll('"max_tokens":', '"max_tokens":-'),
  (text) => text.slice(0, -1),
  (text) => `[${text}]`,
  (text) => text.replace("{", '{"max_tokens":1e999,'),
  (text) => text.replace("{", '{"max_completion_tokens":9007199254740993,'),
  (text) => `${text}${text}`,
];
const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  { "anthropic-beta": "fast-mode-2026-02-01,context-1m-2025-08-07,interleaved-thinking-2025-05-14" },
  { "openai-beta": "assistants=v2" },
  { "openai-organization": "org-other", "openai-project": "p" },
  { "anthropic-workspace": "w", "x-forwarded-host": "attacker.example" },
  { "http-referer": address, "x-title": "t", "x-service-tier": "priority" },
  { authorization: "Bearer other", "x-api-key": "other", "x-goog-api-key": "other" },
];

/** So many levels of lists and objects around an address. */
function deep(levels: number): unknown {
  let value: unknown = { url: address };
  for (let at = 0; at < levels; at += 1) value = at % 2 === 0 ? [value] : { content: value };
  return value;
}

function nest(part: unknown, levels: number, type: string): unknown {
  return levels === 0 ? part : { type, text: "t", tool_use_id: "c", content: [nest(part, levels - 1, type)] };
}

function list(body: Record<string, unknown>, key: string): unknown[] {
  const found = body[key];
  if (Array.isArray(found)) return found;
  const made: unknown[] = [];
  body[key] = made;
  return made;
}

/** The lists of content parts. */
function messagesOf(body: Record<string, unknown>): readonly unknown[][] {
  const lists = objectsIn(body).flatMap(({ content }) => (Array.isArray(content) ? [content] : []));
  return lists.length === 0 ? [[]] : lists;
}

/** Every object of the tree, as far as a stack goes. */
function objectsIn(value: unknown, depth = 0): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null || depth > 20) return [];
  const inner = Object.values(value).flatMap((one) => objectsIn(one, depth + 1));
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}
