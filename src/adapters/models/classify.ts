import { InfraError, type InfraClass } from "../../core/errors.ts";
import { type Failure, readFailure } from "./failure.ts";
import { readRejection } from "./rejected-prompt.ts";
import { redactKeys } from "./redact-keys.ts";

/**
 * Classifies a failed model call and whether it may have been charged. The message contains no key, and the original
 * error is dropped because its URL, headers and body could contain one.
 */
export function classifyError(error: unknown, secrets: readonly string[] = []): InfraError {
  if (error instanceof InfraError) return error;
  const failure = readFailure(error);
  const retryAfterMs = readRetryAfter(failure);
  const infraClass = classOf(failure, retryAfterMs);
  const sentence = redactKeys(failure.message, secrets).slice(0, 500);
  return new InfraError(infraClass, sentence || "The call failed without a message.", {
    billed: billedOf(failure, infraClass),
    status: failure.status,
    isLate: failure.status !== undefined && lateStatus.has(failure.status),
    ...(infraClass === "throttle" || infraClass === "transport" ? { retryAfterMs } : {}),
  });
}

function classOf(failure: Failure, retryAfterMs: number | undefined): InfraClass {
  const { status, said, names } = failure;
  if (status === undefined) return names.some((name) => refusedBySdk.has(name)) ? "refused" : "transport";
  if (status === 402) return "money";
  if (readRejection(failure) === "too-long") return "prompt-refused";
  if (moneyStatus.has(status)) {
    if (outOfMoney.test(said)) return "money";
    // Google words its per-minute limits like this too, but then it says when to retry
    if (perhapsOutOfMoney.test(said) && retryAfterMs === undefined) return "money";
  }
  if (status === 429 || status === 529) return "throttle";
  if (status >= 500) return /overloaded/i.test(said) ? "throttle" : "transport";
  if (status >= 400) return temporary4xx.has(status) ? "transport" : "refused";
  return "transport";
}

function billedOf(failure: Failure, infraClass: InfraClass): "no" | "unknown" {
  const { status, insideSuccess, codes } = failure;
  if (infraClass !== "transport") return "no";
  if (status === undefined) return codes.some((code) => neverSent.test(code)) ? "no" : "unknown";
  return status < 400 || insideSuccess || gatewayTimeout.has(status) ? "unknown" : "no";
}

/** The SDK wouldn't even send it. */
const refusedBySdk: ReadonlySet<string> = new Set([
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_NoSuchModelError",
  "AI_UnsupportedFunctionalityError",
]);

const moneyStatus: ReadonlySet<number> = new Set([400, 403, 429]);
const outOfMoney =
  /insufficient[_ ](?:quota|balance|credit|funds)|spend(?:ing)?[_ -](?:limit|cap)|billing_(?:hard_limit|not_active)|credit balance|out of credits|arrear|payment required|key limit exceeded/i;
const perhapsOutOfMoney =
  /exceeded (?:your )?current quota|exceeded_current_quota|plan and billing|usage limit/i;

/** Request timeout, a call with the same key still running, too early, client closed. */
const temporary4xx: ReadonlySet<number> = new Set([408, 409, 425, 499]);

const lateStatus: ReadonlySet<number> = new Set([408, 504, 524]);

/** A gateway stopped waiting, but the model behind it may have finished. */
const gatewayTimeout: ReadonlySet<number> = new Set([408, 409, 499, 504, 524]);

/** The connection was never made, so the call can't have been charged. */
const neverSent =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EMFILE|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_\w+|ERR_INVALID_URL)$/;

/** The wait the provider asks for: a header in seconds, milliseconds or as a date, or Google's body. */
function readRetryAfter({ headers, said }: Pick<Failure, "headers" | "said">): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (ms >= 0) return Math.ceil(ms);
  const header = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(header)) return Math.ceil(Number(header) * 1000);
  const date = Date.parse(header);
  if (!Number.isNaN(date)) {
    // use the server's own clock if it sends the time, because ours may be wrong
    const now = Date.parse(headers["date"] ?? "");
    return Math.max(0, date - (Number.isNaN(now) ? Date.now() : now));
  }
  const delay = /"retryDelay":"(\d+(?:\.\d+)?)s"/.exec(said)?.[1];
  return delay === undefined ? undefined : Math.ceil(Number(delay) * 1000);
}
