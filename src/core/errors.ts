import { oneLine, withoutColours } from "./one-line.ts";

/** Every error code a command can end with, and its exit code. */
export const exitCodes = {
  usage: 2,
  "config-invalid": 2,
  "skill-invalid": 2,
  "tasks-invalid": 2,
  "not-found": 2,
  "peer-missing": 2,
  "sandbox-missing": 2,
  "judge-uncalibrated": 2,
  "checks-degenerate": 2,
  "agent-missing": 2,
  "already-installed": 2,
  "not-installed": 2,
  "price-unknown": 2,
  "not-an-openai-server": 2,
  "wrong-path": 2,
  "web-page": 2,
  redirected: 2,
  "tls-failed": 2,
  "proxy-refused": 2,
  "model-missing": 2,
  "reply-invalid": 2,
  "spend-too-small": 2,
  "run-locked": 2,
  "offline-miss": 2,
  "journal-damaged": 2,
  "journal-version": 2,
  "project-moved": 2,
  "live-changed": 2,
  "live-locked": 2,
  "hidden-text": 2,
  unproven: 2,
  unacknowledged: 2,
  "not-opted-in": 2,
  "not-consented": 2,
  "not-allowed": 2,
  "not-confirmed": 2,
  "state-damaged": 2,
  "timer-failed": 1,
  "proposal-damaged": 2,
  "report-invalid": 2,
  "figures-changed": 1,
  "journal-write": 1,
  "redis-failed": 1,
  "live-write": 1,
  "provider-refused": 1,
  "provider-spend-limit": 1,
  failed: 1,
  "handoff-pending": 3,
  "spend-cap": 4,
  "too-many-pending": 5,
  "replies-unusable": 5,
  interrupted: 130,
} as const;

export type ErrorCode = keyof typeof exitCodes;

/**
 * A broken run throws this: a code, a sentence and the next step. A failed task is data, not an error.
 *
 * @example
 * await train({ spend: { usd: 1 } }).catch((error: unknown) => {
 *   if (error instanceof WhetstoneError) console.log(error.code, error.message, error.hint);
 * });
 */
export class WhetstoneError extends Error {
  static {
    this.prototype.name = "WhetstoneError";
  }
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly hint?: string }) {
    super(message, options);
    this.code = code;
    this.hint = options?.hint;
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }
}

/**
 * `throttle` and `transport` may succeed later. `refused` (401, 403, 404, retired model, bad request) and
 * `money` (the provider's spend limit) won't, so they stop the run. `prompt-refused` is about one prompt that is longer
 * than the model's context: it isn't billed, isn't retried and stops nothing else. `left-out`: a person left the
 * task out, so no call is made. `no-verdict`: none of the judge's replies could be used.
 */
export type InfraClass =
  | "throttle"
  | "transport"
  | "refused"
  | "money"
  | "prompt-refused"
  | "left-out"
  | "no-verdict";

/** Error codes for a server that isn't what the person expected, or that can't be reached at the configured address. */
export type ServerFault = Extract<
  ErrorCode,
  | "not-an-openai-server"
  | "wrong-path"
  | "web-page"
  | "redirected"
  | "tls-failed"
  | "proxy-refused"
  | "model-missing"
>;

/**
 * The infrastructure around a task failed, not the task itself. It's never a score.
 *
 * @example
 * throw new InfraError("throttle", "Too many requests.", { billed: "no", retryAfterMs: 2000 });
 */
export class InfraError extends Error {
  static {
    this.prototype.name = "InfraError";
  }
  readonly class: InfraClass;
  /** Whether the provider may have charged for it: `unknown` is booked at its maximum cost. */
  readonly billed: "no" | "unknown";
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** The call timed out: the server may be overloaded. */
  readonly isLate: boolean;
  /** The next step, when it isn't the usual one. */
  readonly hint: string | undefined;
  /** The known problem with the server or the connection to it. A run that can't start ends with this code. */
  readonly fault: ServerFault | undefined;
  /** A model that the server does have, `provider/model`, when the requested one is missing. */
  readonly instead: string | undefined;

  constructor(
    infraClass: InfraClass,
    message: string,
    options?: ErrorOptions & {
      readonly billed?: "no" | "unknown";
      readonly retryAfterMs?: number;
      readonly status?: number;
      readonly isLate?: boolean;
      readonly hint?: string;
      readonly fault?: ServerFault;
      readonly instead?: string;
    },
  ) {
    // a provider's or program's text goes inside our sentence, so it must not forge lines
    super(
      oneLine(withoutColours(message), 1000),
      options?.cause === undefined ? undefined : { cause: options.cause },
    );
    this.class = infraClass;
    this.billed = options?.billed ?? "no";
    this.retryAfterMs = options?.retryAfterMs;
    this.status = options?.status;
    this.isLate = options?.isLate ?? false;
    this.hint = options?.hint;
    this.fault = options?.fault;
    this.instead = options?.instead;
  }

  get retryable(): boolean {
    return this.class === "throttle" || this.class === "transport";
  }

  /** Whether every other call would fail the same way. */
  get stopsRun(): boolean {
    return this.class === "refused" || this.class === "money";
  }
}
