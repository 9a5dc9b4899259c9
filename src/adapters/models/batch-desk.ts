import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { InfraError } from "../../core/errors.ts";
import { anthropicBatch } from "./anthropic-batch.ts";
import type {
  BatchAnswer,
  BatchAnswers,
  BatchProtocol,
  BatchRecord,
  BatchRequest,
  BatchServer,
} from "./batch-protocol.ts";
import type { BatchRecords } from "./batch-records.ts";
import { batchServer } from "./batch-server.ts";
import { classifyError } from "./classify.ts";
import { type Gathering, gatherUntilQuiet } from "../gather-until-quiet.ts";
import { openaiBatch } from "./openai-batch.ts";

export interface BatchDeskOptions {
  /** How long no further call may come before those that wait become a batch. @default 500 */
  readonly quietMs?: number;
  /** The first wait for an answer; each one after it is half as long again. @default 500 */
  readonly pollMs?: number;
  /** The longest. @default 60_000 */
  readonly longestPollMs?: number;
  /** How long a batch may take to appear in the provider's list when the answer to its submission was lost. @default 60_000 */
  readonly appearMs?: number;
  /** @default 10_000 */
  readonly maxRequests?: number;
  /** Of the requests of one batch, in characters. @default 50_000_000 */
  readonly maxSize?: number;
}

/** A call that would be made now, were it not cheaper later. */
export interface BatchCall extends BatchRequest {
  readonly base: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly send: typeof globalThis.fetch;
  readonly isIdle: () => boolean;
  readonly signal: AbortSignal;
  /** Calls of one block are in one batch, unless a batch cannot hold them. */
  readonly block: string | undefined;
}

/** Takes calls, sends them in batches, and gives out the answers. */
export interface BatchDesk {
  ask(call: BatchCall): Promise<Response>;
  /** Resolves once no batch is on its way to a provider without its id written down, or with the signal. */
  settled(signal: AbortSignal): Promise<void>;
  underWay(): readonly string[];
}

interface Waiter {
  readonly call: BatchCall;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
  /** Changes with where it waits. */
  leave: () => void;
}

/** A batch that somebody here waits for. */
interface Watch {
  record: BatchRecord;
  readonly waiters: Map<string, Waiter>;
  readonly given: AbortController;
}

/** Failures in a row after which a provider is not asked any more: about five minutes. */
const mostFailures = 10;

/**
 * A record is durable before its batch is submitted, and again with the provider's id before anybody waits for it. So a
 * process that dies at any moment leaves enough for the next one, on any machine, to find its calls: none is made twice.
 */
export function batchDesk(records: BatchRecords, options: BatchDeskOptions): BatchDesk {
  const { quietMs = 500, pollMs = 500, longestPollMs = 60_000, appearMs = 60_000 } = options;
  const { maxRequests = 10_000, maxSize = 50_000_000 } = options;
  const gatherings = new Map<string, Gathering<Waiter>>();
  const watches = new Map<string, Watch>();
  const submissions = new Set<Promise<unknown>>();
  /** Answers that came with others and that nobody has asked for yet. */
  const unclaimed = new Map<string, BatchAnswer>();

  function join(waiter: Waiter): void {
    const { key, base, path, body, isIdle } = waiter.call;
    const answer = unclaimed.get(key);
    if (answer !== undefined) {
      unclaimed.delete(key);
      return give(waiter, answer);
    }
    const record = records.get(key);
    if (record !== undefined) {
      const watch = watches.get(record.name) ?? begin(record, waiter.call);
      return enter(watch, waiter);
    }
    // one model for each batch: OpenAI takes no other
    const name = JSON.stringify([base, path, body["model"]]);
    const gathering = gatherings.get(name) ?? gatherUntilQuiet<Waiter>(quietMs, submitAll);
    gatherings.set(name, gathering);
    waiter.leave = gathering.add(waiter, isIdle);
  }

  function submitAll(waiters: readonly Waiter[]): void {
    for (const some of divide(waiters, maxRequests, maxSize)) {
      const [first] = some;
      if (first === undefined) continue;
      const { base, path } = first.call;
      const keys = some.map(({ call }) => call.key);
      const record = {
        v: 1,
        name: randomUUID(),
        base,
        path,
        keys,
        size: keys.length,
        at: Date.now(),
      } as const;
      const watch = begin(
        record,
        first.call,
        some.map(({ call }) => call),
      );
      for (const waiter of some) enter(watch, waiter);
    }
  }

  function enter(watch: Watch, waiter: Waiter): void {
    watch.waiters.set(waiter.call.key, waiter);
    waiter.leave = () => {
      watch.waiters.delete(waiter.call.key);
      if (watch.waiters.size === 0) watch.given.abort();
    };
  }

  function begin(record: BatchRecord, call: BatchCall, requests?: readonly BatchRequest[]): Watch {
    const watch: Watch = { record, waiters: new Map(), given: new AbortController() };
    watches.set(record.name, watch);
    const server = batchServer(call);
    const protocol = call.path === "/messages" ? anthropicBatch : openaiBatch;
    // whoever began it enters it within this turn
    queueMicrotask(() => void follow(watch, protocol, server, requests));
    return watch;
  }

  function end(watch: Watch): readonly Waiter[] {
    watches.delete(watch.record.name);
    return [...watch.waiters.values()];
  }

  async function follow(
    watch: Watch,
    protocol: BatchProtocol,
    server: BatchServer,
    requests: readonly BatchRequest[] | undefined,
  ): Promise<void> {
    try {
      const id = watch.record.id ?? (await settling(identify(watch, protocol, server, requests)));
      if (id === undefined) {
        for (const waiter of end(watch)) join(waiter);
        return;
      }
      const answers = await collect(watch, id, protocol, server, requests === undefined ? 0 : pollMs);
      await giveAll(watch, answers);
    } catch (error) {
      const waiters = end(watch);
      if (watch.given.signal.aborted) return;
      const failure = classifyError(error);
      for (const { reject } of waiters) reject(failure);
    }
  }

  /** The provider's id, written down; undefined when the provider has no such batch. */
  async function identify(
    watch: Watch,
    protocol: BatchProtocol,
    server: BatchServer,
    requests: readonly BatchRequest[] | undefined,
  ): Promise<string | undefined> {
    const id = await (requests === undefined
      ? find(watch, protocol, server)
      : submit(watch, protocol, server, requests));
    if (id === undefined) await forget(watch);
    else await update(watch, { ...watch.record, id });
    return id;
  }

  async function settling<T>(submission: Promise<T>): Promise<T> {
    submissions.add(submission);
    try {
      return await submission;
    } finally {
      submissions.delete(submission);
    }
  }

  async function submit(
    watch: Watch,
    protocol: BatchProtocol,
    server: BatchServer,
    requests: readonly BatchRequest[],
  ): Promise<string | undefined> {
    await records.put(watch.record);
    // everybody may have left while that was written
    if (watch.given.signal.aborted) return undefined;
    try {
      const id = await protocol.submit(watch.record, requests, server);
      if (id !== "") return id;
      throw new InfraError("transport", "The provider gave the batch no id.", { billed: "unknown" });
    } catch (error) {
      const failure = classifyError(error);
      // without an answer it may have arrived all the same
      const id = failure.billed === "no" ? undefined : await find(watch, protocol, server);
      if (id !== undefined) return id;
      await forget(watch);
      throw new InfraError(failure.class, failure.message, {
        status: failure.status,
        retryAfterMs: failure.retryAfterMs,
      });
    }
  }

  /** The provider's id of a batch whose submission was not answered; undefined when it never arrived. */
  async function find(
    { record, given }: Watch,
    protocol: BatchProtocol,
    server: BatchServer,
  ): Promise<string | undefined> {
    // by this machine's clock alone: the record may be another's
    const began = Date.now();
    for (let pause = pollMs; ; pause = longer(pause)) {
      const found = await patiently(given.signal, () =>
        protocol.find(record, records.idsBeside(record), server),
      );
      if (found.kind === "found") return found.id;
      if (found.kind === "absent" && Date.now() - began > appearMs) return undefined;
      await sleep(pause, undefined, { signal: given.signal });
    }
  }

  async function collect(
    watch: Watch,
    id: string,
    protocol: BatchProtocol,
    server: BatchServer,
    firstPause: number,
  ): Promise<BatchAnswers> {
    const { signal } = watch.given;
    for (let pause = firstPause; ; pause = longer(pause)) {
      await sleep(pause, undefined, { signal });
      const answers = await patiently(signal, () => protocol.collect(id, server)).catch((error) => {
        if (!(error instanceof InfraError) || error.status !== 404) throw error;
        return new InfraError("transport", `The provider no longer has the batch ${id}.`, {
          billed: "unknown",
        });
      });
      if (answers instanceof InfraError) {
        await forget(watch);
        throw answers;
      }
      if (answers !== undefined) return answers;
    }
  }

  /** The batch goes on whether or not somebody asks for it, so an outage meanwhile is sat out. */
  async function patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await ask();
      } catch (error) {
        const failure = classifyError(error);
        if (failure.retryable && failures < mostFailures) {
          const pause = Math.min(2 * pollMs * 2 ** (failures - 1), longestPollMs);
          await sleep(Math.max(pause, failure.retryAfterMs ?? 0), undefined, { signal });
          continue;
        }
        // asking costs nothing, and what the batch costs is booked with its answers
        throw new InfraError(failure.class, failure.message, { status: failure.status });
      }
    }
  }

  async function giveAll(watch: Watch, answers: BatchAnswers): Promise<void> {
    const { record } = watch;
    // whatever failed is asked again, in another batch
    const keys = record.keys.filter((key) => isGood(answers.get(key)));
    if (keys.length < record.keys.length) await update(watch, { ...record, keys });
    for (const key of keys) {
      const answer = answers.get(key);
      if (answer !== undefined && !watch.waiters.has(key)) unclaimed.set(key, answer);
    }
    for (const waiter of end(watch)) {
      const answer = answers.get(waiter.call.key);
      if (answer !== undefined) give(waiter, answer);
      else waiter.reject(noAnswer(`the batch ${record.id ?? ""} ended without it`, "unknown"));
    }
  }

  async function update(watch: Watch, record: BatchRecord): Promise<void> {
    await records.put(record);
    watch.record = record;
  }

  const forget = (watch: Watch): Promise<void> => update(watch, { ...watch.record, keys: [] });

  const longer = (pause: number): number => Math.min(Math.max(pause, pollMs) * 1.5, longestPollMs);

  return {
    ask: (call) =>
      new Promise<Response>((resolve, reject) => {
        if (call.signal.aborted) return reject(call.signal.reason as Error);
        const waiter: Waiter = { call, resolve, reject, leave() {} };
        call.signal.addEventListener(
          "abort",
          () => {
            waiter.leave();
            reject(call.signal.reason as Error);
          },
          { once: true },
        );
        join(waiter);
      }),
    async settled(signal) {
      if (signal.aborted) return;
      const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      await Promise.race([Promise.allSettled(submissions), aborted]);
    },
    underWay: () => [...watches.values()].map(({ record }) => record.id ?? record.name),
  };
}

const isGood = (answer: BatchAnswer | undefined): boolean =>
  answer?.kind === "answered" && answer.status < 400;

function give({ resolve, reject }: Waiter, answer: BatchAnswer): void {
  if (answer.kind === "unanswered") return reject(noAnswer(answer.why, "no"));
  const headers = { "content-type": "application/json" };
  resolve(new Response(JSON.stringify(answer.body), { status: answer.status, headers }));
}

const noAnswer = (why: string, billed: "no" | "unknown"): InfraError =>
  new InfraError("transport", `The batch holds no answer to this call: ${why}.`, { billed });

/** In the order of arrival, but for the rest of a block, which follows its first. */
function divide(waiters: readonly Waiter[], maxRequests: number, maxSize: number): readonly Waiter[][] {
  const parts: Waiter[][] = [];
  let size = 0;
  const add = (some: readonly Waiter[]): void => {
    const own = some.reduce((sum, { call }) => sum + JSON.stringify(call.body).length, 0);
    const last = parts.at(-1);
    const fits = (count: number, total: number) =>
      count + some.length <= maxRequests && total + own <= maxSize;
    if (last !== undefined && fits(last.length, size)) {
      last.push(...some);
      size += own;
    } else if (some.length === 1 || fits(0, 0)) {
      parts.push([...some]);
      size = own;
    } else for (const one of some) add([one]);
  };
  for (const block of Map.groupBy(waiters, ({ call }) => call.block ?? call.key).values()) add(block);
  return parts;
}
