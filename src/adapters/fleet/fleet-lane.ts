import { setMaxListeners } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JobsOptions, Queue, QueueEvents } from "bullmq";
import type { Redis } from "ioredis";
import { type Urgency, turnOf } from "../executors/lane.ts";
import { loadPeer } from "../load-peer.ts";
import { nothingBooked } from "./fleet-budget.ts";
import { type FleetDone, type FleetJob, jobId } from "./fleet-job.ts";
import { fleetKeys, prefix, queueKey, queueName } from "./fleet-keys.ts";
import { type ReadError, readError } from "./wire-error.ts";

/** The coordinator's end of one queue: jobs go in, and their ends come back in whatever order. */
export interface FleetLane {
  /** Resolves when a worker has recorded the result; throws what the worker met. */
  send(job: FleetJob, options: SendOptions): Promise<FleetDone>;
  /** Looks for jobs that Redis no longer has, and whose end was not heard: `ended` of a lost one is asked once more. */
  sweep(): Promise<void>;
  /** Takes back whatever no worker has begun. */
  cancel(reason: Error): Promise<void>;
  /** How many jobs may be in the queue at a time; the rest waits here, so that runs take turns. */
  setWindow(size: number): void;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly tries: number;
  readonly urgency: Urgency;
  /** Aborted: nobody wants it any more. What a worker has begun goes on. */
  readonly signal?: AbortSignal;
  /** Whether the result is there although nobody said so. */
  readonly isRecorded: () => Promise<boolean>;
}

interface Waiting {
  readonly job: FleetJob;
  readonly options: SendOptions;
  readonly done: (done: FleetDone) => void;
  readonly fail: (failure: ReadError) => void;
  /** In the queue, as far as we know. */
  isSent: boolean;
  /** Settles once Redis has it, or will not get it. */
  adding?: Promise<unknown>;
  /** Sweeps in a row that did not find it. */
  missed: number;
}

export class FailedUnit extends Error {
  readonly failure: ReadError;
  constructor(failure: ReadError) {
    super(failure.error.message);
    this.failure = failure;
  }
}

export async function fleetLane(redis: Redis, lane: string, firstWindow: number): Promise<FleetLane> {
  const bullmq = await loadPeer<typeof import("bullmq")>("bullmq");
  const queue: Queue<FleetJob> = new bullmq.Queue(queueName(lane), {
    connection: redis,
    prefix,
    streams: { events: { maxLen: 100_000 } },
  });
  const events: QueueEvents = new bullmq.QueueEvents(queueName(lane), {
    connection: redis.duplicate(),
    prefix,
  });
  // they connect again by themselves; what was missed meanwhile the sweep finds
  queue.on("error", () => {});
  events.on("error", () => {});
  await events.waitUntilReady();
  await redis.sadd(fleetKeys.lanes, lane);

  const waiting = new Map<string, Waiting>();
  const held: Waiting[] = [];
  let window = firstWindow;
  let sent = 0;
  let batch: Waiting[] = [];
  let sending: Promise<void> | undefined;

  events.on("completed", ({ jobId: id, returnvalue }) => {
    // BullMQ calls it a text and gives the value
    const done: unknown = returnvalue;
    take(id)?.done(done as FleetDone);
  });
  events.on("failed", ({ jobId: id, failedReason }) => take(id)?.fail(readError(failedReason)));

  function take(id: string): Waiting | undefined {
    const one = waiting.get(id);
    if (one === undefined) return undefined;
    waiting.delete(id);
    if (one.isSent) sent -= 1;
    fill();
    return one;
  }

  function fill(): void {
    while (sent < window && held.length > 0) {
      const firstOf = (turn: number) => held.findIndex(({ options }) => turnOf(options.urgency) === turn);
      const at = [0, 1].map(firstOf).find((index) => index >= 0) ?? 0;
      const [next] = held.splice(at, 1);
      // a job that an earlier process left in the queue may have ended meanwhile
      if (next !== undefined && waiting.get(jobId(next.job)) === next) put(next);
    }
  }

  /** All that is asked for in one turn goes out in one command. */
  function put(one: Waiting): void {
    one.isSent = true;
    sent += 1;
    batch.push(one);
    one.adding = sending ??= nextTurn().then(addBatch);
  }

  async function addBatch(): Promise<void> {
    const jobs = batch.map(({ job, options }) => ({
      name: "unit",
      data: job,
      opts: jobOptions(job, options),
    }));
    batch = [];
    sending = undefined;
    // the sweep finds what did not arrive
    await queue.addBulk(jobs).catch(() => {});
  }

  async function takeBack(one: Waiting, reason: Error): Promise<void> {
    const id = jobId(one.job);
    if (waiting.get(id) !== one) return;
    if (!one.isSent) {
      held.splice(held.indexOf(one), 1);
      take(id)?.fail({ error: reason });
      return;
    }
    // not earlier: Redis would forget it first and get it then
    await one.adding;
    // a job that a worker has begun is locked and stays; one that has ended, which we have not heard yet, is gone as well
    const isGone = (await queue.remove(id).catch(() => 0)) === 1;
    const isDone = isGone && (await one.options.isRecorded().catch(() => false));
    if (!isGone || waiting.get(id) !== one) return;
    if (isDone) take(id)?.done({ budget: nothingBooked });
    else take(id)?.fail({ error: reason });
  }

  return {
    send: (job, options) =>
      new Promise<FleetDone>((done, refuse) => {
        const fail = (failure: ReadError) => refuse(new FailedUnit(failure));
        const one: Waiting = { job, options, done, fail, isSent: false, missed: 0 };
        waiting.set(jobId(job), one);
        if (sent < window) put(one);
        else held.push(one);
        const { signal } = options;
        if (signal === undefined) return;
        setMaxListeners(0, signal);
        signal.addEventListener("abort", () => void takeBack(one, signal.reason as Error), { once: true });
      }),
    async sweep() {
      const all = [...waiting].filter(([, { isSent }]) => isSent);
      if (all.length === 0) return;
      const pipeline = redis.pipeline();
      for (const [id] of all) pipeline.exists(queueKey(lane, id));
      const answers = (await pipeline.exec()) ?? [];
      for (const [index, [id, one]] of all.entries()) {
        if (waiting.get(id) !== one) continue;
        one.missed = answers[index]?.[1] === 0 ? one.missed + 1 : 0;
        // its end may be on the way to us
        if (one.missed < 2) continue;
        one.missed = 0;
        if (await one.options.isRecorded()) take(id)?.done({ budget: nothingBooked });
        else await queue.add("unit", one.job, jobOptions(one.job, one.options));
      }
    },
    async cancel(reason) {
      for (const one of [...held, ...waiting.values()]) await takeBack(one, reason);
    },
    setWindow(size) {
      window = size;
      fill();
    },
    async close() {
      await events.close();
      await queue.close();
    },
  };
}

const jobOptions = (job: FleetJob, options: SendOptions): JobsOptions => ({
  jobId: jobId(job),
  attempts: options.tries,
  backoff: { type: "whetstone" },
  // a finished job that stays would swallow the next one with its id
  removeOnComplete: true,
  removeOnFail: true,
  // jobs with a priority come after all those without
  priority: turnOf(options.urgency),
});
