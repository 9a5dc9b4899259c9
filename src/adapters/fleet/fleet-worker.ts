import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Worker } from "bullmq";
import { attempt } from "../../core/work/attempt.ts";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { EventBody } from "../../core/events.ts";
import { findHandler } from "../../core/work/handlers.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { seededRandom } from "../../core/random.ts";
import { type ClientPolicy, defaultPolicy } from "../executors/local.ts";
import { loadPeer } from "../load-peer.ts";
import { nothingBooked } from "./fleet-budget.ts";
import {
  type FleetJob,
  type FleetUnit,
  type JobRefusal,
  RefusedJob,
  jobId,
  openJob,
  refusalWords,
} from "./fleet-job.ts";
import { fleetKeys, prefix, queueName } from "./fleet-keys.ts";
import type { FleetSeal, SealedText } from "./fleet-seal.ts";
import { keepLeases } from "./keep-leases.ts";
import { type Begun, type LaneLimit, laneLimit, takenOver } from "./lane-limit.ts";
import { openRedis } from "./open-redis.ts";
import { type OpenedRun, type RunToOpen, type WorkerRun, openedRuns } from "./opened-runs.ts";
import { createPlaces, type Places } from "./places.ts";
import { tellEvents } from "./told-events.ts";
import { UnableError, tellAble, tellUnable } from "./unable-workers.ts";
import { ParkedError, pauseOf, sealOutcome } from "./wire-error.ts";

export interface FleetWorkerOptions {
  /** The address of Redis. */
  readonly redis: string;
  /** Allows addresses beyond this machine without a password or TLS. @default false */
  readonly insecureRedis?: boolean;
  readonly seal: FleetSeal;
  /** Parallel units per provider and model. */
  readonly concurrency: number;
  /** Opens everything a run's units need, from its coordinator's settings. */
  readonly openRun: (run: RunToOpen) => Promise<WorkerRun>;
  readonly clock: Clock;
  readonly policy?: Partial<ClientPolicy>;
  /** If a worker is silent for this long, its job goes to another. @default 5 s */
  readonly lockMs?: number;
  /** How long to wait for a worker that can do what none of the current ones can. @default 15 s */
  readonly unableMs?: number;
  /** Once aborted, calls in flight are given up. */
  readonly hardSignal: AbortSignal;
  readonly onProblem?: (sentence: string) => void;
}

export interface FleetWorker {
  readonly id: string;
  /** Units it has started. */
  inHand(): number;
  /** Accepts nothing new, and waits for the units it has started. */
  drain(): Promise<void>;
}

/** The place where a job runs. */
interface JobPlace {
  readonly lane: string;
  readonly limit: LaneLimit;
  readonly begun: Begun;
  /** Parallel units on this machine. */
  readonly most: number;
  readonly token: string;
}

const lookForLanesMs = 1000;
/** How often a job with several units checks whether there are places for all of them. */
const spreadMs = 20;
/** How long a worker avoids a queue whose units it can't do; doubles each time. */
const leastAsideMs = 1000;
const mostAsideMs = 30_000;
/** Jobs that failed here and may come back. */
const mostRemembered = 100_000;
/** How many workers a unit may crash before nobody takes it any more. */
export const poisonAfter = 5;

/** Runs units for any run in its Redis, the same way a single-process executor does. */
export async function fleetWorker(options: FleetWorkerOptions): Promise<FleetWorker> {
  const { clock, concurrency, hardSignal, seal, lockMs = 5000, unableMs = 15_000 } = options;
  const policy = { ...defaultPolicy, ...options.policy };
  const redis = await openRedis(options.redis, options);
  const bullmq = await loadPeer<typeof import("bullmq")>("bullmq");
  const id = `${hostname()}-${randomUUID().slice(0, 8)}`;
  const about = { host: hostname(), pid: process.pid, concurrency };
  const leases = await keepLeases({ redis: options.redis, worker: id, about, lockMs });
  /** By lane: one that takes a single job and then, once we know how many this machine can run, another for the rest. */
  const workers = new Map<
    string,
    readonly [one: Worker<SealedText, SealedText>, rest?: Worker<SealedText, SealedText>]
  >();
  /** By lane: the number of units this machine runs at a time. */
  const places = new Map<string, Places>();
  const tell = tellEvents(redis, seal, id);
  const runs = openedRuns({ redis, worker: id, clock, seal, openRun: options.openRun, tell });
  /** Queues and runs whose units this worker leaves to others, with the start and the waiting time. */
  const aside = new Map<string, { readonly since: number; readonly ms: number }>();
  /** Jobs that weren't done because nobody in this fleet requested them here. */
  const refused = new Map<JobRefusal, number>();
  /** By the seal of a failed job: its tries on this worker, whatever Redis says. */
  const tried = new Map<string, number>();
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

  // we don't raise the first one's number, because BullMQ only reads it after a unit has ended, which can take long
  function widen(lane: string, most: number): void {
    const [one, rest] = workers.get(lane) ?? [];
    if (one === undefined || rest !== undefined || most < 2 || closing.signal.aborted) return;
    workers.set(lane, [one, listen(lane, most - 1)]);
  }

  function listen(lane: string, most: number): Worker<SealedText, SealedText> {
    const limit = laneLimit(redis, lane, policy);
    const worker: Worker<SealedText, SealedText> = new bullmq.Worker(
      queueName(lane),
      async (job: Job<SealedText, SealedText>, token = "") => {
        leases.take(lane, job.id ?? "", token);
        inHand += 1;
        try {
          return await runJob(job, token, lane, limit);
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
        // a stalled job is retried any number of times; units that crash workers are parked
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        skipLockRenewal: true,
        runRetryDelay: 1000,
        drainDelay: 2,
        metrics: { maxDataPoints: 60 },
        // without a limiter, BullMQ ignores the pause that a throttled call asks for
        limiter: { max: 1_000_000_000, duration: 1000 },
        settings: { backoffStrategy: (made, _, error) => backoff(made, error, policy) },
      },
    );
    worker.on("error", (error) => options.onProblem?.(`${lane}: ${error.message}`));
    return worker;
  }

  async function runJob(
    job: Job<SealedText, SealedText>,
    token: string,
    lane: string,
    limit: LaneLimit,
  ): Promise<SealedText> {
    const { id: name = "" } = job;
    try {
      const units = openJob(seal, job.data, { id: name, lane });
      if ((tried.get(job.data.mac) ?? 0) >= units.tries) throw new RefusedJob("used-up");
      return await runUnits(units, job, token, limit);
    } catch (error) {
      if (!(error instanceof RefusedJob)) throw error;
      countRefusal(lane, error.refusal);
      // a leftover under this name would swallow the coordinator's own
      job.opts.removeOnFail = true;
      throw new bullmq.UnrecoverableError(error.message);
    }
  }

  async function runUnits(
    { run, settings, lane, units }: FleetJob,
    job: Job<SealedText, SealedText>,
    token: string,
    limit: LaneLimit,
  ): Promise<SealedText> {
    const { id: name = "" } = job;
    let opened: OpenedRun | undefined;
    let missing = units;
    const done = () => sealOutcome(seal, name, opened?.budget.view() ?? nothingBooked);
    const fail = async (failures: ReadonlyMap<string, unknown>): Promise<Error> => {
      await opened?.budget.flush();
      const view = opened?.budget.view() ?? nothingBooked;
      const text = JSON.stringify(sealOutcome(seal, name, view, failures));
      return [...failures.values()].some(isFinal) ? new bullmq.UnrecoverableError(text) : new Error(text);
    };
    const failAll = (error: unknown) => fail(new Map(missing.map(({ key }) => [key, error])));
    let failures: ReadonlyMap<string, unknown>;
    try {
      opened = await runs.get({ run, settings });
      opened.active += 1;
      const { handlers, journal, emit, unable } = opened;
      const [recorded, begun] = await Promise.all([
        Promise.all(missing.map(({ key }) => journal.get(key))),
        limit.begin(name, token, lockMs),
      ]);
      missing = missing.filter((_, index) => recorded[index] === undefined);
      const [first] = missing;
      if (first === undefined) return done();
      const lacking = missing.flatMap(({ unit }) => unable?.(unit) ?? []);
      if (lacking[0] !== undefined) throw new UnableError(lacking[0]);
      if (aside.delete(`${run} ${lane}`)) await beAble(run, lane, emit);
      if (job.stalledCounter >= poisonAfter) failures = await parkAll(missing, job, run, lane);
      else {
        if (!begun.isOurs) throw takenOver();
        if (begun.down !== undefined) throw noAnswer(begun.down);
        const machine = findHandler(handlers, first.unit).parallel?.(first.unit.input) ?? concurrency;
        const place = { lane, limit, begun, most: Math.min(concurrency, machine), token };
        failures = await runMissing(missing, job, place, opened);
        const { mac } = job.data;
        if (failures.size > 0) tried.set(mac, (tried.get(mac) ?? 0) + 1);
        else tried.delete(mac);
        const [oldest] = tried.size > mostRemembered ? tried.keys() : [];
        if (oldest !== undefined) tried.delete(oldest);
      }
    } catch (error) {
      if (error instanceof RefusedJob) throw error;
      if (!(error instanceof UnableError)) throw await failAll(error);
      // next time it is checked again
      runs.retire({ run, settings });
      const refusal = await standAside(job, token, run, lane, error);
      throw refusal === undefined ? new bullmq.WaitingError() : await failAll(refusal);
    } finally {
      if (opened !== undefined) opened.active -= 1;
    }
    if (failures.size > 0) throw await fail(failures);
    return done();
  }

  /** Reported the 1st, 10th, 100th … time, so that flooding Redis doesn't flood the log. */
  function countRefusal(lane: string, refusal: JobRefusal): void {
    const count = (refused.get(refusal) ?? 0) + 1;
    refused.set(refusal, count);
    if (!Number.isInteger(Math.log10(count))) return;
    const times = count === 1 ? "" : ` (${count} jobs so far)`;
    options.onProblem?.(`A job on ${lane} wasn't done${times}. ${refusalWords[refusal]}`);
  }

  /** All at once if there's room for them. Failures are listed by key. */
  async function runMissing(
    missing: readonly FleetUnit[],
    job: Job<SealedText, SealedText>,
    place: JobPlace,
    opened: OpenedRun,
  ): Promise<ReadonlyMap<string, unknown>> {
    const { lane, limit, most, token } = place;
    widen(lane, most);
    const own = places.get(lane) ?? createPlaces(most);
    places.set(lane, own);
    // one of them may crash workers, so each runs alone and first in its turn, until nobody takes them any more
    const isDoubtful = job.stalledCounter >= poisonAfter - 2;
    const taken = await own.take(isDoubtful ? 1 : missing.length);
    try {
      const width = taken === 1 ? 1 : await spread(job.id ?? "", taken, place);
      const isOdd = (job.attemptsMade + job.stalledCounter) % 2 === 1;
      const nth = job.attemptsMade + 1;
      return await runTogether(isOdd ? missing.toReversed() : missing, width, (unit) =>
        tryUnit(unit, nth, place, opened),
      );
    } finally {
      own.giveBack(taken);
      if (taken > 1) await limit.leave(job.id ?? "", token);
    }
  }

  async function spread(job: string, wanted: number, { limit, token }: JobPlace): Promise<number> {
    for (;;) {
      const width = await limit.spread(job, token, wanted);
      if (width !== undefined) return width;
      await clock.sleep(spreadMs, hardSignal);
    }
  }

  async function tryUnit(
    { key, unit, place }: FleetUnit,
    nth: number,
    { lane, limit, begun }: JobPlace,
    { run, handlers, journal, budget, emit, paceOf }: OpenedRun,
  ): Promise<void> {
    const at = { key, role: place.role, step: place.step, stage: place.stage };
    emit({ type: "try-start", ...at, kind: unit.kind });
    const handler = findHandler(handlers, unit);
    const pace = paceOf(lane);
    const { mostTokens } = pace;
    const call = {
      key,
      place,
      signal: hardSignal,
      deadlineMs: () => pace.deadlineMs(place.role, nth),
      mostTokens,
    };
    const context = { run, journal, spend: budget, clock };
    const failure = await attempt(unit, handler, call, nth, context).then(
      (executed) => {
        pace.hear(place.role, executed);
        return undefined;
      },
      (error: unknown) => ({ error }),
    );
    const outcome = failure === undefined || isPromptRefused(failure.error) ? "success" : failure.error;
    const told = outcome === "success" || outcome instanceof InfraError ? outcome : "abandon";
    const [change] = await Promise.all([
      limit.end(begun, told, handler.isNear?.(unit.input)),
      budget.flush(),
    ]);
    const message = told instanceof InfraError ? told.message : "the provider answers again";
    if (change !== undefined) emit({ type: "lane-change", lane, ...change, message });
    if (failure?.error instanceof InfraError)
      emit({ type: "try-failed", ...at, class: failure.error.class, message: failure.error.message });
    if (failure !== undefined) throw failure.error;
  }

  /** Returns the job and avoids its queue for a while. If no worker can do it, the job fails. */
  async function standAside(
    job: Job<SealedText, SealedText>,
    token: string,
    run: string,
    lane: string,
    { code, message, hint = "Fix it" }: UnableError,
  ): Promise<WhetstoneError | undefined> {
    const before = aside.get(`${run} ${lane}`);
    const { since, ms } = before ?? { since: clock.now(), ms: leastAsideMs };
    const { hasOthers } = await tellUnable(redis, { worker: id, run, lane, message, at: Date.now() });
    if (before === undefined) {
      options.onProblem?.(`Leaving ${lane} to other workers. ${message} ${hint}`);
      tell(run)({ type: "lane-change", lane: `${lane} on ${id}`, state: "open", limit: 0, message });
    }
    if (!hasOthers && clock.now() - since >= unableMs) {
      aside.delete(`${run} ${lane}`);
      return new WhetstoneError(code, `No worker can run ${lane}; ${id} says: ${message}`, {
        hint: `${hint.replace(/[.\s]*$/, "")}; or start \`whetstone worker\` on a machine that has everything.`,
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
    const message = "the missing part is available now";
    emit({ type: "lane-change", lane: `${lane} on ${id}`, state: "closed", limit: 0, message });
  }

  /** No worker takes them any more in this execution. `whetstone fleet` lists them. */
  async function parkAll(
    units: readonly FleetUnit[],
    job: Job<SealedText, SealedText>,
    run: string,
    lane: string,
  ): Promise<ReadonlyMap<string, ParkedError>> {
    const failures = new Map<string, ParkedError>();
    for (const { key, unit } of units) {
      const cause = `The unit ${unit.kind} ${key.slice(0, 12)} crashed ${job.stalledCounter} workers, the last on ${job.processedBy ?? "an unknown machine"}.`;
      const parked = { run, key, lane, kind: unit.kind, cause, at: clock.now() };
      await redis.hset(fleetKeys.parked, jobId(run, [key]), JSON.stringify(parked));
      failures.set(key, new ParkedError("transport", cause));
    }
    return failures;
  }

  /** BullMQ can't close while Redis is away, or after that. Other workers finish its work when the locks expire. */
  async function orLeave(closed: Promise<void>): Promise<void> {
    const timer = new AbortController();
    const tick = () => sleep(lockMs, "not yet" as const, { signal: timer.signal });
    let quiet = 0;
    try {
      while (quiet < 2 && (await Promise.race([closed, tick()])) === "not yet")
        quiet = inHand === 0 ? quiet + 1 : 0;
    } finally {
      timer.abort();
      // nobody is listening any more
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
    inHand: () => inHand,
    async drain() {
      closing.abort();
      await orLeave(closeAll());
      await leases.close();
      redis.disconnect();
    },
  };
}

/** The provider answers, but refuses this one prompt. */
const isPromptRefused = (error: unknown): boolean =>
  error instanceof InfraError && error.class === "prompt-refused";

const noAnswer = (message: string): InfraError =>
  new InfraError("transport", `The provider doesn't answer: ${message}`);

/** Failures that a retry can't fix. */
const isFinal = (error: unknown): boolean =>
  !(error instanceof InfraError) || !error.retryable || error instanceof ParkedError;

/** Limits how many run at once. After a failure, those not yet started wait for the next try, with the same failure. */
async function runTogether(
  units: readonly FleetUnit[],
  width: number,
  run: (unit: FleetUnit) => Promise<void>,
): Promise<ReadonlyMap<string, unknown>> {
  const failures = new Map<string, unknown>();
  const left = [...units];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { key } = next;
      const [failed] = [...failures];
      if (failed !== undefined) failures.set(key, failed[1]);
      else await run(next).catch((error: unknown) => failures.set(key, error));
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return failures;
}

function backoff(made: number, thrown: Error | undefined, { backoffMs }: ClientPolicy): number {
  const retryAfterMs = thrown === undefined ? 0 : pauseOf(thrown.message);
  const full = backoffMs * 2 ** (made - 1);
  const jitter = seededRandom("jitter", thrown?.message ?? "", made)();
  return Math.max(retryAfterMs, full / 2 + (jitter * full) / 2);
}
