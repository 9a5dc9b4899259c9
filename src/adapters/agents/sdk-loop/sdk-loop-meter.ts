import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import { InfraError } from "../../../core/errors.ts";
import type { Json } from "../../../core/json.ts";
import type { AgentCall, AgentRequest, AgentRun } from "../../../core/ports/agent.ts";
import { type Cost, noCost } from "../../../core/cost.ts";
import type { ModelRequest, Usage } from "../../../core/ports/model.ts";
import { boundUsage, costOf, type Price, worstCase } from "../../../core/work/price.ts";
import { toUsage } from "../../models/ai-sdk.ts";
import { classifyError } from "../../models/classify.ts";
import { readFailure } from "../../models/failure.ts";
import { readRejection } from "../../models/rejected-prompt.ts";
import { parseEvent } from "../event-fields.ts";
import type { RolloutRecord } from "../rollout-record.ts";
import type { Halt } from "./sdk-loop-halt.ts";

export interface MeteredModel {
  readonly model: LanguageModelV4;
  spent(): Pick<AgentRun, "usage" | "calls">;
}

interface Options {
  readonly ai: typeof import("ai");
  readonly languageModel: LanguageModelV4;
  readonly model: string;
  readonly priceOf: (model: string) => Price | undefined;
  readonly secrets: readonly string[];
  /** How long one call may take. @default 600_000 */
  readonly timeoutMs?: number;
}

interface Place {
  readonly request: AgentRequest;
  readonly call: AgentCall;
  readonly halt: Halt;
  readonly record: RolloutRecord;
}

/** A model whose calls are booked one by one, counted against the rollout's limits and written into its record. */
export function meterModel(options: Options, { request, call, halt, record }: Place): MeteredModel {
  const price = options.priceOf(options.model);
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let [calls, tries] = [0, 0];

  async function generate(
    doGenerate: () => PromiseLike<LanguageModelV4GenerateResult>,
    params: LanguageModelV4CallOptions,
  ): Promise<LanguageModelV4GenerateResult> {
    const { limits } = request;
    if (calls >= limits.calls) return end({ ended: "calls" });
    if (usage.inputTokens + usage.outputTokens >= limits.tokens) return end({ ended: "tokens" });
    const asked = describeCall(options.model, params);
    const booking = await call.meter.begin(worstOf(asked, price)).catch((error: unknown) => end({ error }));
    let result: LanguageModelV4GenerateResult;
    try {
      result = await doGenerate();
      if (result.finishReason.unified === "error") throw brokenOff();
    } catch (error) {
      const rejection = readRejection(readFailure(error));
      // the first prompt is the task itself; a later one grew too long by what the agent did
      if (rejection === "filtered" || (rejection === "too-long" && calls > 0)) {
        await booking.end(noCost);
        return end({ ended: rejection === "filtered" ? "refused" : "length" });
      }
      const failure = call.signal.aborted ? undefined : classifyError(error, options.secrets);
      await booking.end(failure?.billed === "no" ? noCost : "worst");
      return end({ error: failure ?? call.signal.reason });
    }
    const text = readAnswer(result, record);
    const used = toUsage(result.usage, text, asked);
    await booking.end(costFor(used, price));
    calls += 1;
    usage = addUsage(usage, used);
    return result;
  }

  /** The loop above wraps what is thrown here in its own errors: what happened is kept beside it. */
  function end(reason: Parameters<Halt["stop"]>[0]): never {
    halt.stop(reason);
    throw halt.signal.reason;
  }

  const model = options.ai.wrapLanguageModel({
    model: options.languageModel,
    middleware: {
      specificationVersion: "v4",
      transformParams: ({ params }) => {
        tries += 1;
        const deadline = AbortSignal.timeout(options.timeoutMs ?? 600_000);
        return Promise.resolve({
          ...params,
          headers: { ...params.headers, "Idempotency-Key": `${call.key}-${tries}` },
          abortSignal:
            params.abortSignal === undefined ? deadline : AbortSignal.any([params.abortSignal, deadline]),
        });
      },
      wrapGenerate: ({ doGenerate, params }) => generate(doGenerate, params),
    },
  });
  return { model, spent: () => ({ usage, calls }) };
}

/** As much text as is sent, so that its bytes bound the tokens. */
const describeCall = (
  model: string,
  { prompt, tools, maxOutputTokens = 0 }: LanguageModelV4CallOptions,
): ModelRequest => ({
  model,
  messages: [{ role: "user", content: JSON.stringify({ prompt, tools }) }],
  maxTokens: maxOutputTokens,
});

function worstOf(asked: ModelRequest, price: Price | undefined): Cost {
  if (price !== undefined) return worstCase(asked, price);
  return costFor(boundUsage(asked), undefined);
}

const costFor = (usage: Usage, price: Price | undefined): Cost => ({
  nanoUsd: price === undefined ? 0 : costOf(usage, price),
  tokens: usage.inputTokens + usage.outputTokens,
  calls: 1,
});

function readAnswer({ content }: LanguageModelV4GenerateResult, record: RolloutRecord): string {
  let text = "";
  for (const part of content) {
    if (part.type === "text") {
      text += part.text;
      record.say(part.text);
    }
    if (part.type === "tool-call") {
      record.call(part.toolCallId, part.toolName, (parseEvent(part.input) ?? part.input) as Json);
    }
  }
  return text;
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum = (name: "cachedInputTokens" | "cacheWriteInputTokens") => {
    const tokens = (a[name] ?? 0) + (b[name] ?? 0);
    return tokens === 0 ? {} : { [name]: tokens };
  };
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...sum("cachedInputTokens"),
    ...sum("cacheWriteInputTokens"),
  };
}

const brokenOff = (): InfraError =>
  new InfraError("transport", "The provider stopped in the middle of its answer.", { billed: "unknown" });
