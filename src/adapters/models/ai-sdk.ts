import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { Model, ModelRequest, Reply, Usage } from "../../core/ports/model.ts";
import { boundUsage } from "../../core/work/price.ts";
import { classifyError } from "./classify.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Failure, readFailure } from "./failure.ts";
import { redactKeys } from "./redact-keys.ts";
import { readRejection } from "./rejected-prompt.ts";
import type { Diagnosis } from "./server-place.ts";

/** The parts we use of a Vercel AI SDK model object, in any version of its specification since AI SDK 5. */
export interface LanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
}

export interface AiSdkModelOptions {
  /** `provider/model`. */
  readonly id: string;
  /** The time limit for one call. @default the caller's, else 600_000 */
  readonly timeoutMs?: number;
  /** Whether its server is on this machine. @default false */
  readonly isNear?: boolean;
  /** Included in every reply. */
  readonly host?: string | undefined;
  /** Values that must not appear in an error message. */
  readonly secrets?: readonly string[];
  /** Checks the server when a call fails. @default no check */
  readonly diagnose?: Diagnose;
}

/** Finds the fault in the server that a call reached; undefined if the failure says enough. */
export type Diagnose = (failure: Failure, signal: AbortSignal) => Promise<Diagnosis | undefined>;

/**
 * Calls the provider's own method, because the functions above it would retry, log and cost time. If the caller
 * aborts a call, it rejects with the abort's reason.
 */
export function aiSdkModel(model: LanguageModel, options: AiSdkModelOptions): Model {
  const { id, timeoutMs, isNear = false, host, secrets = [], diagnose } = options;
  const named = host === undefined ? {} : { host };
  let [hasAnswered, givesReasons] = [false, false];
  if (!["v2", "v3", "v4"].includes(model.specificationVersion)) {
    throw new WhetstoneError("config-invalid", `The model object for ${id} has an unknown specification.`, {
      hint: "Update the @ai-sdk provider package that made it.",
    });
  }
  const provider = model.provider.split(".", 1)[0] ?? "";
  let takesFormat = true;
  return {
    id,
    isNear,
    async generate(asked, { key, signal, deadlineMs = () => 600_000 }) {
      signal.throwIfAborted();
      const request = takesFormat ? asked : withoutFormat(asked);
      const deadline = startDeadline(timeoutMs === undefined ? deadlineMs : () => timeoutMs, signal);
      try {
        const call = callOptions(request, provider, key, deadline.signal);
        const answer = await Promise.race([
          (model as unknown as TextModel).doGenerate(call),
          deadline.passed,
        ]);
        hasAnswered = true;
        const reply = toReply(answer, request);
        if (reply.finish !== "none") givesReasons = true;
        // some servers never say why an answer ended
        return { ...reply, ...(givesReasons ? {} : { finish: "other" }), ...named };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (deadline.signal.aborted) throw classifyError(deadline.signal.reason, secrets);
        const failure = readFailure(error);
        const rejection = readRejection(failure);
        if (rejection === "filtered") return { ...filteredReply, ...named };
        if (rejection === undefined && formatRefused(request, failure)) {
          takesFormat = false;
          const said = classifyError(error, secrets).message;
          const sentence = `Retrying without response_format, which the server may not support: ${said}`;
          throw new InfraError("transport", sentence, { status: failure.status });
        }
        throw await explainError(error, { secrets, diagnose, hasAnswered, signal: deadline.signal });
      } finally {
        deadline.clear();
      }
    },
  };
}

/** Some servers don't support `response_format`, or not every schema. The next call shows whether that was why. */
const formatRefused = ({ body }: ModelRequest, { status, said, message }: Failure): boolean =>
  body?.["response_format"] !== undefined &&
  (status === 400 ||
    status === 422 ||
    status === 501 ||
    (status === 500 && /grammar|schema|response_format/i.test(`${said} ${message}`)));

function withoutFormat({ body, ...request }: ModelRequest): ModelRequest {
  const { response_format: _, ...rest } = body ?? {};
  return { ...request, ...(Object.keys(rest).length === 0 ? {} : { body: rest }) };
}

export interface ExplainOptions {
  readonly secrets: readonly string[];
  readonly diagnose: Diagnose | undefined;
  /** A server that has answered is the right one, so a later problem will pass. */
  readonly hasAnswered: boolean;
  readonly signal: AbortSignal;
}

/** Classifies a call's error and, if it may be the server's fault, finds that fault. */
export async function explainError(
  error: unknown,
  { secrets, diagnose, hasAnswered, signal }: ExplainOptions,
): Promise<InfraError> {
  const met = classifyError(error, secrets);
  const isDoubtful = met.class === "refused" || (met.class === "transport" && !hasAnswered);
  const found = isDoubtful ? await diagnose?.(readFailure(error), signal) : undefined;
  return found === undefined ? met : explained(met, found, secrets);
}

/** Adds the fault and the next step. A retry doesn't fix a fault, and a server that isn't the model's doesn't charge. */
function explained(
  met: InfraError,
  { fault, sentence, hint, instead }: Diagnosis,
  secrets: readonly string[],
): InfraError {
  const { status, retryAfterMs } = met;
  const clean = (text: string) => redactKeys(text, secrets);
  return new InfraError(
    fault === undefined ? met.class : "refused",
    sentence === undefined ? met.message : clean(sentence),
    {
      billed: fault === undefined ? met.billed : "no",
      status,
      retryAfterMs,
      fault,
      instead,
      hint: hint && clean(hint),
    },
  );
}

/** A filter that stops the prompt is an answer, like one that stops the reply. */
const filteredReply: Reply = {
  text: "",
  finish: "content-filter",
  usage: { inputTokens: 0, outputTokens: 0 },
};

interface CallOptions {
  readonly prompt: PromptMessage[];
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly headers: Record<string, string>;
  readonly abortSignal: AbortSignal;
  /** Extra request body fields, in the form the OpenAI-compatible package accepts. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

type PromptMessage =
  | { role: "system"; content: string }
  | { role: "user" | "assistant"; content: { type: "text"; text: string }[] };

function callOptions(
  request: ModelRequest,
  provider: string,
  key: string,
  abortSignal: AbortSignal,
): CallOptions {
  const { system, messages, maxTokens, temperature, body } = request;
  const turns = messages.map(({ role, content }): PromptMessage => {
    return { role, content: [{ type: "text", text: content }] };
  });
  return {
    prompt: system ? [{ role: "system", content: system }, ...turns] : turns,
    maxOutputTokens: maxTokens,
    temperature,
    headers: { "Idempotency-Key": key },
    abortSignal,
    ...(body === undefined ? {} : { providerOptions: { [provider]: body } }),
  };
}

/** The parts of an answer that all specification versions share. */
interface Answer {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[];
  readonly finishReason: string | { readonly unified: string; readonly raw: string | undefined };
  readonly usage: AnswerUsage | undefined;
  readonly response?: { readonly modelId?: unknown } | undefined;
}

interface AnswerUsage {
  readonly inputTokens: number | undefined | Record<"total" | "cacheRead" | "cacheWrite", number | undefined>;
  readonly outputTokens: number | undefined | { readonly total: number | undefined };
  readonly cachedInputTokens?: number;
}

/** A text prompt is the same in every version. */
interface TextModel {
  doGenerate(call: CallOptions): PromiseLike<Answer>;
}

function toReply({ content, finishReason, usage, response }: Answer, request: ModelRequest): Reply {
  const { unified, raw } =
    typeof finishReason === "string" ? { unified: finishReason, raw: undefined } : finishReason;
  if (unified === "error" || unified === "interrupted" || raw === "error") {
    throw new InfraError("transport", "The provider stopped in the middle of its answer.", {
      billed: "unknown",
    });
  }
  const text = content.map((part) => (part.type === "text" ? String(part.text) : "")).join("");
  const id = response?.modelId;
  return {
    text,
    finish: raw === undefined && unreasoned.has(unified) ? "none" : toFinish(unified),
    usage: toUsage(usage, text, request),
    ...(typeof id === "string" && id !== "" ? { model: id } : {}),
  };
}

/** The finish reasons packages report if an answer gives no reason. */
const unreasoned: ReadonlySet<string> = new Set(["other", "unknown"]);

function toFinish(reason: string): Reply["finish"] {
  return reason === "stop" || reason === "length" || reason === "content-filter" ? reason : "other";
}

/** The provider's token counts. If it didn't count, the most it can have used. */
export function toUsage(usage: AnswerUsage | undefined, text: string, request: ModelRequest): Usage {
  const input = usage?.inputTokens;
  const output = usage?.outputTokens;
  const nested = typeof input === "object" ? input : undefined;
  const bound = boundUsage(request);
  const inputTokens = count(nested === undefined ? input : nested.total);
  const outputTokens = count(typeof output === "object" ? output.total : output);
  const cached = count(nested?.cacheRead ?? usage?.cachedInputTokens);
  const written = count(nested?.cacheWrite);
  // no call has empty input and no text is free, so a zero here means "not counted"
  const isNothing = text === "" && inputTokens > 0;
  const isCounted = inputTokens > 0 && (outputTokens > 0 || isNothing);
  return {
    inputTokens: inputTokens || bound.inputTokens,
    outputTokens: outputTokens || (isNothing ? 0 : bound.outputTokens),
    ...(isCounted ? {} : { estimated: true }),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(written > 0 ? { cacheWriteInputTokens: written } : {}),
  };
}

const count = (tokens: unknown): number =>
  typeof tokens === "number" && tokens > 0 && tokens < absurdTokens ? Math.ceil(tokens) : 0;

/** No model reads or writes this much in one call, so a larger number is a mistake. */
const absurdTokens = 1e9;

/** Node fires a longer timer immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** Aborts with the caller's signal or after the time, which may be extended, and leaves no timer or listener behind. */
function startDeadline(mostMs: () => number, signal: AbortSignal) {
  const controller = new AbortController();
  const follow = () => controller.abort(signal.reason);
  signal.addEventListener("abort", follow, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const wait = (waited: number) => {
    const ms = mostMs();
    if (ms > waited) {
      const next = Math.min(ms, waited + longestTimerMs);
      timer = setTimeout(() => wait(next), next - waited);
      return;
    }
    const sentence = `No answer within ${waited / 1000} s.`;
    const hint = `Give it longer, such as --call-seconds ${Math.ceil(waited / 500)}, or use a faster model. Finished work is kept.`;
    controller.abort(new InfraError("transport", sentence, { billed: "unknown", isLate: true, hint }));
  };
  wait(0);
  // models that ignore the signal are left running
  const passed = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error), {
      once: true,
    });
  });
  return {
    signal: controller.signal,
    passed,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", follow);
    },
  };
}
