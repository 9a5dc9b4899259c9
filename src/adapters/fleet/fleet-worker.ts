import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { attempt } from "../../core/attempt.ts";
import { InfraError } from "../../core/errors.ts";
import type { EventBody } from "../../core/events.ts";
import { type Handlers, findHandler } from "../../core/handlers.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { seededRandom } from "../../core/random.ts";
import { type ClientPolicy, defaultPolicy } from "../executors/local.ts";
import { loadPeer } from "../load-peer.ts";
import { type FleetBudget, fleetBudget, nothingBooked } from "./fleet-budget.ts";
import type { FleetDone, FleetJob } from "./fleet-job.ts";
import { fleetKeys, prefix, queueName } from "./fleet-keys.ts";
import { keepLeases } from "./keep-leases.ts";
import { type LaneLimit, laneLimit } from "./lane-limit.ts";
import { openRedis } from "./open-redis.ts";
import { ParkedError, readError, writeError } from "./wire-error.ts";

export interface FleetWorkerOptions {
  /** The address of Redis. */
  readonly redis: string;
  /** Units at a time, per provider and model. */
  readonly concurrency: number;
  /** Opens what units of a run need, from what its coordinator wrote down. */
  readonly openRun: (run: RunToOpen) => Promise<WorkerRun>;
  readonly clock: Clock;
  readonly policy?: Partial<ClientPolicy>;
  /** A job whose worker is silent for so long is given to another. @default 5 s */
  readonly lockMs?: number;
  /** Aborted: calls in flight are given up. */
  readonly hardSignal: AbortSignal;
  readonly onProblem?: (sentence: string) => void;
}

export interface RunToOpen {
  readonly run: string;
  readonly settings: JsonObject;
  readonly redis: Redis;
  readonly budget: FleetBudget;
  readonly emit: (event: EventBody) => void;
}

/** A run as a worker sees it. */
export interface WorkerRun {
  readonly handlers: Handlers;
  readonly journal: Journal;
  close(): Promise<void>;
}

export interface FleetWorker {
  readonly id: string;
  /** Takes nothing new, and waits for what it has begun. */
  drain(): Promise<void>;
}

interface OpenedRun extends WorkerRun {
  readonly run: string;
  readonly budget: FleetBudget;
  readonly emit: (event: EventBody) => void;
  /** Units in flight. */
  active: number;
}

const lookForLanesMs = 1000;
/** Workers that a unit may end before nobody takes it any more. */
export const poisonAfter = 5;

/** Runs units of any run that its Redis knows, in the same way as the executor of one process does. */
export async function fleetWorker(options: FleetWorkerOptions): Promise<FleetWorker> {
  const { clock, concurrency, hardSignal, lockMs = 5000 } = options;
  const policy = { ...defaultPolicy, ...options.policy };
  const bullmq = await loadPeer<typeof import("bullmq")>("bullmq");
  const redis = await openRedis(options.redis);
  const id = `${hostname()}-${randomUUID().slice(0, 8)}`;
  const about = { host: hostname(), pid: process.pid, concurrency };
  const leases = await keepLeases({ redis: options.redis, worker: id, about, lockMs });
  /** By lane: one that takes a single unit, and beside it, once that has told how many this machine can hold, the rest. */
  const workers = new Map<
    string,
    readonly [one: Worker<FleetJob, FleetDone>, rest?: Worker<FleetJob, FleetDone>]
  >();
  const runs = openRuns();
  const closing = new AbortController();
  const looking = lookForLanes();

  async function lookForLanes(): Promise<void> {
    while (!closing.signal.aborted) {
      const lanes = await redis.smembers(fleetKeys.lanes).catch(() => []);
      for (const lane of lanes) if (!workers.has(lane)) workers.set(lane, [listen(lane, 1)]);
      await runs.closeEnded().catch(() => {});
      await sleep(lookForLanesMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  // not by raising the number of the first: BullMQ looks at it only when a unit has ended, which can take long
  function widen(lane: string, most: number): void {
    const [one, rest] = workers.get(lane) ?? [];
    if (one === undefined || rest !== undefined || most < 2 || closing.signal.aborted) return;
    workers.set(lane, [one, listen(lane, most - 1)]);
  }

  function listen(lane: string, most: number): Worker<FleetJob, FleetDone> {
    const limit = laneLimit(redis, lane, policy);
    const worker: Worker<FleetJob, FleetDone> = new bullmq.Worker(
      queueName(lane),
      async (job: Job<FleetJob, FleetDone>, token = "") => {
        leases.take(lane, job.id ?? "", token);
        try {
          return await runUnit(job, token, lane, limit);
        } finally {
          leases.drop(lane, job.id ?? "");
        }
      },
      {
        connection: redis,
        prefix,
        name: id,
        concurrency: most,
        lockDuration: lockMs,
        stalledInterval: Math.max(200, lockMs / 5),
        // a stalled job is tried again, however often; what ends workers is parked
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        skipLockRenewal: true,
        runRetryDelay: 1000,
        drainDelay: 2,
        metrics: { maxDataPoints: 60 },
        // without a limiter BullMQ does not look at the pause that a throttled call asks for
        limiter: { max: 1_000_000_000, duration: 1000 },
        settings: { backoffStrategy: (made, _, error) => backoff(made, error, policy) },
      },
    );
    worker.on("error", (error) => options.onProblem?.(`${lane}: ${error.message}`));
    return worker;
  }

  async function runUnit(
    job: Job<FleetJob, FleetDone>,
    token: string,
    lane: string,
    limit: LaneLimit,
  ): Promise<FleetDone> {
    const { run, key, unit, place } = job.data;
    let opened: OpenedRun | undefined;
    const fail = async (error: unknown): Promise<Error> => {
      await opened?.budget.flush();
      const text = writeError(error, opened?.budget.view() ?? nothingBooked);
      const isFinal = !(error instanceof InfraError) || !error.retryable || error instanceof ParkedError;
      return isFinal ? new bullmq.UnrecoverableError(text) : new Error(text);
    };
    try {
      opened = await runs.get(job.data);
      opened.active += 1;
      const { handlers, journal, budget, emit } = opened;
      const [recorded, begun] = await Promise.all([
        journal.get(key),
        limit.begin(job.id ?? "", token, lockMs),
      ]);
      if (recorded !== undefined) return { budget: budget.view() };
      if (job.stalledCounter >= poisonAfter) throw await park(job, lane);
      if (!begun.isOurs) throw new InfraError("transport", "Another worker has taken the unit over.");
      if (begun.down !== undefined) throw noAnswer(begun.down);
      const handler = findHandler(handlers, unit);
      widen(lane, Math.min(concurrency, handler.parallel?.(unit.input) ?? concurrency));
      const at = { key, role: place.role, step: place.step, stage: place.stage };
      emit({ type: "try-start", ...at, kind: unit.kind });
      const call = { key, place, signal: hardSignal };
      const context = { run, journal, spend: budget, clock };
      const failure = await attempt(unit, handler, call, job.attemptsMade + 1, context).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      const outcome = failure === undefined ? "success" : failure.error;
      const told = outcome === "success" || outcome instanceof InfraError ? outcome : "abandon";
      const [change] = await Promise.all([limit.end(begun, told), budget.flush()]);
      const message = told instanceof InfraError ? told.message : "the provider answers again";
      if (change !== undefined) emit({ type: "lane-change", lane, ...change, message });
      if (told instanceof InfraError) emit({ type: "try-failed", ...at, class: told.class, message });
      if (failure !== undefined) throw failure.error;
      return { budget: budget.view() };
    } catch (error) {
      throw await fail(error);
    } finally {
      if (opened !== undefined) opened.active -= 1;
    }
  }

  /** Nobody takes it any more in this execution; `whetstone fleet` shows it. */
  async function park(job: Job<FleetJob, FleetDone>, lane: string): Promise<ParkedError> {
    const { run, key, unit } = job.data;
    const cause = `The unit ${unit.kind} ${key.slice(0, 12)} ended ${job.stalledCounter} workers, the last on ${job.processedBy ?? "an unknown machine"}.`;
    const parked = { run, key, lane, kind: unit.kind, cause, at: clock.now() };
    await redis.hset(fleetKeys.parked, job.id ?? key, JSON.stringify(parked));
    return new ParkedError("transport", cause);
  }

  /** Each run is opened once for each form of its settings, and closed when its coordinator is gone. */
  function openRuns() {
    const open = new Map<string, Promise<OpenedRun>>();
    const begin = async (run: string): Promise<OpenedRun> => {
      const settings = await redis.get(fleetKeys.run(run));
      if (settings === null) throw new InfraError("transport", `The run ${run} has ended.`);
      const budget = fleetBudget(redis, run, id, clock);
      const emit = (event: EventBody) =>
        void redis.publish(fleetKeys.runEvents(run), JSON.stringify(event)).catch(() => {});
      const json = JSON.parse(settings) as JsonObject;
      const opened = await options.openRun({ run, settings: json, redis, budget, emit });
      return { ...opened, run, budget, emit, active: 0 };
    };
    return {
      get({ run, settings }: FleetJob): Promise<OpenedRun> {
        const name = `${run} ${settings}`;
        const known = open.get(name);
        if (known !== undefined) return known;
        const opening = begin(run);
        open.set(name, opening);
        opening.catch(() => open.delete(name));
        return opening;
      },
      async closeEnded() {
        for (const [name, opening] of open) {
          const opened = await opening;
          if (opened.active > 0 || (await redis.exists(fleetKeys.run(opened.run))) === 1) continue;
          if (opened.active > 0) continue;
          open.delete(name);
          await opened.close();
        }
      },
      async close() {
        for (const opening of open.values()) await opening.then((opened) => opened.close()).catch(() => {});
      },
    };
  }

  return {
    id,
    async drain() {
      closing.abort();
      await looking;
      const all = [...workers.values()].flatMap(([one, rest]) => (rest === undefined ? [one] : [one, rest]));
      await Promise.all(all.map((worker) => worker.close()));
      await runs.close();
      await leases.close();
      redis.disconnect();
    },
  };
}

const noAnswer = (message: string): InfraError =>
  new InfraError("transport", `The provider does not answer: ${message}`);

function backoff(made: number, thrown: Error | undefined, { backoffMs }: ClientPolicy): number {
  const { error } = readError(thrown?.message ?? "");
  const full = backoffMs * 2 ** (made - 1);
  const jitter = seededRandom("jitter", thrown?.message ?? "", made)();
  const retryAfterMs = error instanceof InfraError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(retryAfterMs, full / 2 + (jitter * full) / 2);
}
