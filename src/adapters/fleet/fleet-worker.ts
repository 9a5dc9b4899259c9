import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Worker } from "bullmq";
import { attempt } from "../../core/attempt.ts";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { EventBody } from "../../core/events.ts";
import { findHandler } from "../../core/handlers.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { seededRandom } from "../../core/random.ts";
import { type ClientPolicy, defaultPolicy } from "../executors/local.ts";
import { loadPeer } from "../load-peer.ts";
import { nothingBooked } from "./fleet-budget.ts";
import type { FleetDone, FleetJob } from "./fleet-job.ts";
import { fleetKeys, prefix, queueName } from "./fleet-keys.ts";
import { keepLeases } from "./keep-leases.ts";
import { type LaneLimit, laneLimit } from "./lane-limit.ts";
import { openRedis } from "./open-redis.ts";
import { type OpenedRun, type RunToOpen, type WorkerRun, openedRuns } from "./opened-runs.ts";
import { UnableError, tellAble, tellUnable } from "./unable-workers.ts";
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
  /** So long another worker may come that can do what none of those here can. @default 15 s */
  readonly unableMs?: number;
  /** Aborted: calls in flight are given up. */
  readonly hardSignal: AbortSignal;
  readonly onProblem?: (sentence: string) => void;
  /** Told when a try begins; what it gives back is told how it ended. */
  readonly onTry?: ((one: WorkerTry) => EndTry) | undefined;
}

export interface WorkerTry {
  readonly worker: string;
  readonly lane: string;
  /** Which try at this unit it is, from 1. */
  readonly nth: number;
  readonly job: FleetJob;
}

export type EndTry = (failure: { readonly error: unknown } | undefined) => void;

export interface FleetWorker {
  readonly id: string;
  /** Takes nothing new, and waits for what it has begun. */
  drain(): Promise<void>;
}

const lookForLanesMs = 1000;
/** How long a worker keeps away from a queue whose units it cannot do; doubles each time. */
const leastAsideMs = 1000;
const mostAsideMs = 30_000;
/** Workers that a unit may end before nobody takes it any more. */
export const poisonAfter = 5;

/** Runs units of any run that its Redis knows, in the same way as the executor of one process does. */
export async function fleetWorker(options: FleetWorkerOptions): Promise<FleetWorker> {
  const { clock, concurrency, hardSignal, lockMs = 5000, unableMs = 15_000 } = options;
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
  const tell = (run: string) => (event: EventBody) =>
    void redis.publish(fleetKeys.runEvents(run), JSON.stringify(event)).catch(() => {});
  const runs = openedRuns({ redis, worker: id, clock, openRun: options.openRun, tell });
  /** Queues and runs whose units this worker leaves to others: since when, and how long it keeps away. */
  const aside = new Map<string, { readonly since: number; readonly ms: number }>();
  const closing = new AbortController();
  let inHand = 0;
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
        inHand += 1;
        try {
          return await runUnit(job, token, lane, limit);
        } finally {
          inHand -= 1;
          leases.drop(lane, job.id ?? "", token);
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
      const missing = opened.unable?.(unit);
      if (missing !== undefined) throw new UnableError(missing);
      if (aside.delete(`${run} ${lane}`)) await beAble(run, lane, emit);
      if (job.stalledCounter >= poisonAfter) throw await park(job, lane);
      if (!begun.isOurs) throw new InfraError("transport", "Another worker has taken the unit over.");
      if (begun.down !== undefined) throw noAnswer(begun.down);
      const handler = findHandler(handlers, unit);
      widen(lane, Math.min(concurrency, handler.parallel?.(unit.input) ?? concurrency));
      const at = { key, role: place.role, step: place.step, stage: place.stage };
      emit({ type: "try-start", ...at, kind: unit.kind });
      const call = { key, place, signal: hardSignal };
      const context = { run, journal, spend: budget, clock };
      const nth = job.attemptsMade + 1;
      const endTry = options.onTry?.({ worker: id, lane, nth, job: job.data });
      const failure = await attempt(unit, handler, call, nth, context).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      endTry?.(failure);
      const outcome = failure === undefined || isPromptRefused(failure.error) ? "success" : failure.error;
      const told = outcome === "success" || outcome instanceof InfraError ? outcome : "abandon";
      const [change] = await Promise.all([limit.end(begun, told), budget.flush()]);
      const message = told instanceof InfraError ? told.message : "the provider answers again";
      if (change !== undefined) emit({ type: "lane-change", lane, ...change, message });
      if (failure?.error instanceof InfraError)
        emit({ type: "try-failed", ...at, class: failure.error.class, message: failure.error.message });
      if (failure !== undefined) throw failure.error;
      return { budget: budget.view() };
    } catch (error) {
      if (!(error instanceof UnableError)) throw await fail(error);
      // next time it is looked for anew
      runs.retire(job.data);
      const refusal = await standAside(job, token, lane, error);
      throw refusal === undefined ? new bullmq.WaitingError() : await fail(refusal);
    } finally {
      if (opened !== undefined) opened.active -= 1;
    }
  }

  /** Gives the unit back and keeps away from its queue for a while. Once nobody can do it, it fails. */
  async function standAside(
    job: Job<FleetJob, FleetDone>,
    token: string,
    lane: string,
    { code, message, hint = "Mend it" }: UnableError,
  ): Promise<WhetstoneError | undefined> {
    const { run } = job.data;
    const before = aside.get(`${run} ${lane}`);
    const { since, ms } = before ?? { since: clock.now(), ms: leastAsideMs };
    const { hasOthers } = await tellUnable(redis, { worker: id, run, lane, message, at: Date.now() });
    if (before === undefined) {
      options.onProblem?.(`${lane} is left to other workers. ${message} ${hint}`);
      tell(run)({ type: "lane-change", lane: `${lane} on ${id}`, state: "open", limit: 0, message });
    }
    if (!hasOthers && clock.now() - since >= unableMs) {
      aside.delete(`${run} ${lane}`);
      return new WhetstoneError(code, `No worker can run ${lane}; ${id} says: ${message}`, {
        hint: `${hint.replace(/[.\s]*$/, "")}; or start \`whetstone worker\` where nothing is missing.`,
      });
    }
    aside.set(`${run} ${lane}`, { since, ms: Math.min(2 * ms, mostAsideMs) });
    const [one, rest] = workers.get(lane) ?? [];
    const both = [one, rest].flatMap((worker) => (worker === undefined ? [] : [worker]));
    for (const worker of both) await worker.pause(true);
    setTimeout(() => {
      if (closing.signal.aborted) return;
      for (const worker of both) void worker.resume();
    }, ms).unref();
    await job.moveToWait(token);
    return undefined;
  }

  async function beAble(run: string, lane: string, emit: (event: EventBody) => void): Promise<void> {
    await tellAble(redis, { worker: id, run, lane });
    const message = "what was missing there is there now";
    emit({ type: "lane-change", lane: `${lane} on ${id}`, state: "closed", limit: 0, message });
  }

  /** Nobody takes it any more in this execution; `whetstone fleet` shows it. */
  async function park(job: Job<FleetJob, FleetDone>, lane: string): Promise<ParkedError> {
    const { run, key, unit } = job.data;
    const cause = `The unit ${unit.kind} ${key.slice(0, 12)} ended ${job.stalledCounter} workers, the last on ${job.processedBy ?? "an unknown machine"}.`;
    const parked = { run, key, lane, kind: unit.kind, cause, at: clock.now() };
    await redis.hset(fleetKeys.parked, job.id ?? key, JSON.stringify(parked));
    return new ParkedError("transport", cause);
  }

  /** BullMQ closes nothing while Redis is away, nor after that; what it leaves undone, others do when the locks run out. */
  async function orLeave(closed: Promise<void>): Promise<void> {
    const timer = new AbortController();
    const tick = () => sleep(lockMs, "not yet" as const, { signal: timer.signal });
    let quiet = 0;
    try {
      while (quiet < 2 && (await Promise.race([closed, tick()])) === "not yet")
        quiet = inHand === 0 ? quiet + 1 : 0;
    } finally {
      timer.abort();
      // nobody listens any more
      closed.catch(() => {});
    }
  }

  async function closeAll(): Promise<void> {
    await looking;
    const all = [...workers.values()].flatMap(([one, rest]) => (rest === undefined ? [one] : [one, rest]));
    await Promise.all(all.map((worker) => worker.close()));
    await runs.close();
  }

  return {
    id,
    async drain() {
      closing.abort();
      await orLeave(closeAll());
      await leases.close();
      redis.disconnect();
    },
  };
}

/** The provider answers; this one prompt is what it will not take. */
const isPromptRefused = (error: unknown): boolean =>
  error instanceof InfraError && error.class === "prompt-refused";

const noAnswer = (message: string): InfraError =>
  new InfraError("transport", `The provider does not answer: ${message}`);

function backoff(made: number, thrown: Error | undefined, { backoffMs }: ClientPolicy): number {
  const { error } = readError(thrown?.message ?? "");
  const full = backoffMs * 2 ** (made - 1);
  const jitter = seededRandom("jitter", thrown?.message ?? "", made)();
  const retryAfterMs = error instanceof InfraError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(retryAfterMs, full / 2 + (jitter * full) / 2);
}
