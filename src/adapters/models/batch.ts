import { answeringModel } from "../../core/work/batched-model.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Model, ModelCall } from "../../core/ports/model.ts";
import { type BatchDesk, type BatchDeskOptions, batchDesk } from "./batch-desk.ts";
import { type BatchBook, openBatchRecords } from "./batch-records.ts";
import { type ResolveModelSettings, patientFetch, resolveModel } from "./providers.ts";

/** Models of one run whose calls are sold in batches. */
export interface BatchModels {
  open(id: string, settings: ResolveModelSettings): Promise<Model>;
  /** Reads what earlier processes wrote down, and goes on there; before the first call. */
  keepIn(book: BatchBook): Promise<void>;
  /** The batches that a provider works at while somebody here waits for them. */
  underWay(): readonly string[];
}

/** A provider ends a batch after 24 hours; this is only for one that does not. */
const longestMs = 30 * 3_600_000;

/** They speak neither of the two protocols. */
const withoutBatches: ReadonlySet<string> = new Set(["azure", "google"]);

/**
 * `batch/<provider>/<model>`. What the provider's package would send for a call becomes a line of a batch, and what
 * the batch says about it becomes the answer to the call: replies, usage and errors are read as they always are.
 */
export function batchModels(options: BatchDeskOptions = {}): BatchModels {
  let desk: BatchDesk | undefined;
  let isUsed = false;
  const opened = (): BatchDesk => {
    if (desk === undefined) throw new TypeError("these batches are kept nowhere yet");
    return desk;
  };

  async function open(id: string, settings: ResolveModelSettings): Promise<Model> {
    const answering = answeringModel(id);
    const [provider = ""] = answering.split("/", 1);
    if (withoutBatches.has(provider)) {
      throw new WhetstoneError("config-invalid", `${id}: no batches of ${provider} are known here.`, {
        hint: `Name ${answering} instead, or a model of openai, anthropic or a server that takes OpenAI's batches.`,
      });
    }
    isUsed = true;
    const calls = new Map<string, ModelCall>();
    const send = settings.fetch ?? (await patientFetch(settings.env));
    // providers' packages give texts for both
    const ask = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const { headers, key } = readHeaders(init);
      const { base, path } = readAddress(input as string);
      return opened().ask({
        key,
        base,
        path,
        headers,
        body: JSON.parse(init.body as string) as JsonObject,
        send,
        isIdle: calls.get(key)?.isIdle ?? (() => true),
        block: calls.get(key)?.block,
        signal: init.signal ?? new AbortController().signal,
      });
    };
    const model = await resolveModel(answering, { ...settings, timeoutMs: longestMs, fetch: ask });
    return {
      ...model,
      id,
      isBatch: true,
      async generate(request, call) {
        const { key, signal, stopping } = call;
        const own = opened();
        calls.set(key, call);
        try {
          // the provider goes on without us, so an end of the run need not wait for it
          const either = stopping === undefined ? signal : AbortSignal.any([signal, stopping]);
          return await model.generate(request, { ...call, signal: either });
        } finally {
          calls.delete(key);
          // what was submitted is paid: its id belongs into the journal, which closes with the run
          if (stopping?.aborted === true) await own.settled(signal);
        }
      },
    };
  }

  return {
    open,
    async keepIn(book) {
      // most runs ask nothing in batches
      if (isUsed) desk = batchDesk(await openBatchRecords(book, Date.now()), options);
    },
    underWay: () => desk?.underWay() ?? [],
  };
}

/** What the provider must see with a batch as well: its key, its version, and what the user added. */
function readHeaders({ headers }: RequestInit): {
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string;
} {
  const all = new Headers(headers);
  const key = all.get("idempotency-key") ?? "";
  for (const name of ["idempotency-key", "content-type", "content-length"]) all.delete(name);
  return { headers: Object.fromEntries(all), key };
}

function readAddress(url: string): { readonly base: string; readonly path: string } {
  const [, base, path] = /^(.*?)(\/messages|\/responses|\/chat\/completions)$/.exec(url) ?? [];
  if (base !== undefined && path !== undefined) return { base, path };
  throw new WhetstoneError("config-invalid", `No batches are known for calls of ${url}.`);
}
