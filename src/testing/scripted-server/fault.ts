import { WhetstoneError } from "../../core/errors.ts";
import { seededRandom } from "../../core/random.ts";
import type { ScriptedReply, ScriptedRequest } from "./chat-world.ts";

/**
 * The ways in which a call can fail:
 *
 * - `429`: Throttled, with Retry-After (1 s unless given). `429-no-header` comes without it.
 * - `429-spend-limit`: The account's money is used up. It comes without Retry-After.
 * - `529`: Overloaded. `500` and `503`: Other server errors. `400`: Bad request. `401`: Bad key. `404`: Unknown model.
 * - `reset`: The connection is reset before the first byte.
 * - `cut`: The connection ends inside the body (in its middle unless `atByte` is given).
 * - `garbled`: The body ends cleanly, but its content doesn't follow the protocol.
 * - `timeout`: It never answers.
 * - `too-long`: The prompt is refused as longer than the model's context.
 * - `malformed-json`, `truncated`, `empty`, `error-prose`: Complete and paid answers that can't be used.
 * - `thoughts`: A good answer after a block of thoughts that the server left in it.
 */
export type FaultKind = HttpFaultKind | "reset" | "cut" | "garbled" | "timeout" | SpoiledKind;

export type HttpFaultKind =
  | "429"
  | "429-no-header"
  | "429-spend-limit"
  | "529"
  | "500"
  | "503"
  | "400"
  | "401"
  | "404"
  | "too-long";

const spoiledKinds = ["malformed-json", "truncated", "empty", "error-prose", "thoughts"] as const;

export type SpoiledKind = (typeof spoiledKinds)[number];

export type Fault =
  | FaultKind
  | { readonly kind: "429"; readonly retryAfterSeconds: number }
  | { readonly kind: "cut"; readonly atByte: number };

/** A share of all calls, or a decision for each call. `attempt` counts from 1 for each key. */
export type FaultPlan =
  | { readonly rate: number; readonly kinds: readonly Fault[] }
  | ((key: string, attempt: number, request: ScriptedRequest) => Fault | undefined);

export const faultKind = (fault: Fault): FaultKind => (typeof fault === "string" ? fault : fault.kind);

export const isSpoiled = (kind: FaultKind): kind is SpoiledKind =>
  spoiledKinds.some((spoiled) => spoiled === kind);

/** Chooses the fault of one call, which doesn't depend on the order of calls. */
export function chooseFault(
  plan: FaultPlan | undefined,
  seed: number,
  attempt: number,
  request: ScriptedRequest,
): Fault | undefined {
  if (plan === undefined) return undefined;
  if (typeof plan === "function") return plan(request.key, attempt, request);
  const random = seededRandom(seed, request.key, "fault", attempt);
  return random() < plan.rate ? plan.kinds[Math.floor(random() * plan.kinds.length)] : undefined;
}

/** Refuses a plan that can't work. */
export function checkFaultPlan(plan: FaultPlan | undefined): FaultPlan | undefined {
  if (plan === undefined || typeof plan === "function") return plan;
  if (!(plan.rate >= 0 && plan.rate <= 1)) {
    throw new WhetstoneError("usage", `A fault rate of ${plan.rate} is not a share.`, {
      hint: "Give a rate between 0 and 1.",
    });
  }
  if (plan.rate > 0 && plan.kinds.length === 0) {
    throw new WhetstoneError("usage", "The fault plan has a rate but no kinds.", {
      hint: 'Name at least one kind, such as { rate: 0.1, kinds: ["429"] }.',
    });
  }
  return plan;
}

/** The model's reply for faults that are answers. */
export function spoilReply(kind: SpoiledKind, { text }: ScriptedReply): ScriptedReply {
  const part = text.slice(0, Math.floor(text.length * 0.6));
  const spoiled: Readonly<Record<SpoiledKind, ScriptedReply>> = {
    "malformed-json": { text: `${part.startsWith("{") ? "" : '{"reply": "'}${part},,`, finish: "stop" },
    truncated: { text: part, finish: "length" },
    empty: { text: "", finish: "stop" },
    thoughts: { text: `<think>\nLet me see: {"reply": …\n</think>\n\n${text}` },
    "error-prose": { text: "API Error: usage limit reached. Please try again later.", finish: "stop" },
  };
  return spoiled[kind];
}

/** An HTTP error before a protocol has put it into its own format. */
export interface HttpFailure {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  readonly message: string;
  readonly openaiType: string;
  readonly openaiCode: string | null;
  readonly anthropicType: string;
}

/** The HTTP error of a fault; undefined for faults that aren't HTTP errors. */
export function httpFailure(fault: Fault, model: string): HttpFailure | undefined {
  const kind = faultKind(fault);
  if (!isHttpFault(kind)) return undefined;
  const failure = { ...httpFailures[kind], message: httpFailures[kind].message.replace("{model}", model) };
  return typeof fault === "object" && fault.kind === "429"
    ? { ...failure, retryAfterSeconds: fault.retryAfterSeconds }
    : failure;
}

export const badRequest = (status: 400 | 401 | 404 | 405, message: string): HttpFailure => ({
  status,
  message,
  openaiType: "invalid_request_error",
  openaiCode: null,
  anthropicType: status === 404 ? "not_found_error" : "invalid_request_error",
});

const throttled: HttpFailure = {
  status: 429,
  message: "Rate limit reached for {model} on requests per minute.",
  openaiType: "requests",
  openaiCode: "rate_limit_exceeded",
  anthropicType: "rate_limit_error",
};

const serverError: HttpFailure = {
  status: 500,
  message: "The server had an error while processing the request.",
  openaiType: "server_error",
  openaiCode: null,
  anthropicType: "api_error",
};

const httpFailures: Readonly<Record<HttpFaultKind, HttpFailure>> = {
  "429": { ...throttled, retryAfterSeconds: 1 },
  "429-no-header": throttled,
  "429-spend-limit": {
    status: 429,
    message: "This organization has reached its spend limit. Check plan and billing details.",
    openaiType: "insufficient_quota",
    openaiCode: "insufficient_quota",
    anthropicType: "enforced_spend_limit_reached",
  },
  "529": {
    status: 529,
    message: "Overloaded",
    openaiType: "overloaded_error",
    openaiCode: null,
    anthropicType: "overloaded_error",
  },
  "500": serverError,
  "503": { ...serverError, status: 503, message: "The service is unavailable for the moment." },
  "400": badRequest(400, "The request holds a parameter that is not supported."),
  "401": {
    ...badRequest(401, "The API key is not valid."),
    openaiCode: "invalid_api_key",
    anthropicType: "authentication_error",
  },
  "too-long": {
    ...badRequest(400, "The request (9000 tokens) exceeds the available context size (4096 tokens)."),
    openaiCode: "context_length_exceeded",
  },
  "404": {
    ...badRequest(404, "The model `{model}` does not exist or is not open to this key."),
    openaiCode: "model_not_found",
  },
};

const isHttpFault = (kind: FaultKind): kind is HttpFaultKind => kind in httpFailures;
