import { randomUUID } from "node:crypto";
import { InfraError } from "../../core/errors.ts";
import { type Gathering, gatherUntilQuiet } from "../gather-until-quiet.ts";
import { anthropicBatch } from "./anthropic-batch.ts";
import { type BatchErrand, type BatchPace, batchCourier } from "./batch-courier.ts";
import type { BatchAnswer, BatchAnswers, BatchRecord, BatchRequest } from "./batch-protocol.ts";
import type { BatchRecords } from "./batch-records.ts";
import { batchServer } from "./batch-server.ts";
import { classifyError } from "./classify.ts";
import { openaiBatch } from "./openai-batch.ts";

export interface BatchDeskOptions extends BatchPace {
  /** How long no further call may come before those that wait become a batch. @default 500 */
  readonly quietMs?: number;
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
interface Watch extends BatchErrand {
  readonly waiters: Map<string, Waiter>;
  readonly given: AbortController;
}

/**
 * A record is durable before its batch is submitted, and again with the provider's id before anybody waits for it. So a
 * process that dies at any moment leaves enough for the next one, on any machine, to find its calls: none is made twice.
 */
export function batchDesk(records: BatchRecords, options: BatchDeskOptions): BatchDesk {
  const { quietMs = 500, maxRequests = 10_000, maxSize = 50_000_000 } = options;
  const courier = batchCourier(records, options);
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
    if (record !== undefined) return enter(watches.get(record.name) ?? begin(record, waiter.call), waiter);
    // one model for each batch: OpenAI takes no other
    const name = JSON.stringify([base, path, body["model"]]);
    const gathering = gatherings.get(name) ?? gatherUntilQuiet<Waiter>(quietMs, submitAll);
    gatherings.set(name, gathering);
    waiter.leave = gathering.add(waiter, isIdle);
  }

  function submitAll(waiters: readonly Waiter[]): void {
    for (const some of divide(waiters, maxRequests, maxSize)) {
      const calls = some.map(({ call }) => call);
      const [first] = calls;
      if (first === undefined) continue;
      const { base, path } = first;
      const keys = calls.map(({ key }) => key);
      const facts = {
        v: 1,
        name: randomUUID(),
        base,
        path,
        keys,
        size: keys.length,
        at: Date.now(),
      } as const;
      const watch = begin(facts, first, calls);
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
    const given = new AbortController();
    const watch: Watch = {
      record,
      protocol: call.path === "/messages" ? anthropicBatch : openaiBatch,
      server: batchServer(call),
      signal: given.signal,
      waiters: new Map(),
      given,
    };
    watches.set(record.name, watch);
    // whoever began it enters it within this turn
    queueMicrotask(() => void follow(watch, requests));
    return watch;
  }

  function end(watch: Watch): readonly Waiter[] {
    watches.delete(watch.record.name);
    return [...watch.waiters.values()];
  }

  async function follow(watch: Watch, requests: readonly BatchRequest[] | undefined): Promise<void> {
    try {
      const id = watch.record.id ?? (await settling(courier.identify(watch, requests)));
      if (id === undefined) for (const waiter of end(watch)) join(waiter);
      else await giveAll(watch, await courier.collect(watch, id, requests !== undefined));
    } catch (error) {
      const waiters = end(watch);
      if (watch.signal.aborted) return;
      const failure = classifyError(error);
      for (const { reject } of waiters) reject(failure);
    }
  }

  function settling<T>(submission: Promise<T>): Promise<T> {
    submissions.add(submission);
    return submission.finally(() => submissions.delete(submission));
  }

  async function giveAll(watch: Watch, answers: BatchAnswers): Promise<void> {
    const { record } = watch;
    // whatever failed is asked again, in another batch
    const keys = record.keys.filter((key) => isGood(answers.get(key)));
    if (keys.length < record.keys.length) await courier.update(watch, { ...record, keys });
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

  return {
    ask: (call) => waiting(call, join),
    async settled(signal) {
      if (signal.aborted) return;
      const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      await Promise.race([Promise.allSettled(submissions), aborted]);
    },
    underWay: () => [...watches.values()].map(({ record }) => record.id ?? record.name),
  };
}

/** The answer to a call, or the reason of its signal. */
const waiting = (call: BatchCall, join: (waiter: Waiter) => void): Promise<Response> =>
  new Promise<Response>((resolve, reject) => {
    const { signal } = call;
    if (signal.aborted) return reject(signal.reason as Error);
    const waiter: Waiter = { call, resolve, reject, leave() {} };
    const giveUp = (): void => {
      waiter.leave();
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    join(waiter);
  });

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
