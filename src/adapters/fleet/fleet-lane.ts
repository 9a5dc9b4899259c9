import { readObject } from "../../core/json.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JobsOptions, Queue, QueueEvents } from "bullmq";
import type { Redis } from "ioredis";
import { type Urgency, turnOf } from "../executors/lane.ts";
import { type Gathering, gatherUntilQuiet } from "../gather-until-quiet.ts";
import { loadPeer } from "../load-peer.ts";
import { type BudgetView, nothingBooked } from "./fleet-budget.ts";
import { type FleetJob, type FleetUnit, jobId, sealJob, unitIds } from "./fleet-job.ts";
import { fleetKeys, prefix, queueKey, queueName } from "./fleet-keys.ts";
import type { FleetSeal, SealedText } from "./fleet-seal.ts";
import { type ReadError, hearsay, openOutcome } from "./wire-error.ts";

/** The coordinator's end of one queue. Units go in, and their ends come back in any order. */
export interface FleetLane {
  /**
   * Resolves when a worker reports the result as recorded, which only the journal can confirm; throws the worker's
   * error. The units of a block travel together.
   */
  send(unit: FleetUnit, options: SendOptions): Promise<BudgetView>;
  /** Looks for jobs that Redis lost before we heard their end: `ended` of a lost one is asked once more. */
  sweep(): Promise<void>;
  /** Withdraws every unit that no worker has started. Nothing more is sent. */
  cancel(reason: Error): Promise<void>;
  /** The most units in the queue at a time. The rest waits here, so that runs take turns. */
  setWindow(size: number): void;
  close(): Promise<void>;
}

export interface SendOptions extends Pick<FleetJob, "run" | "settings" | "tries"> {
  readonly urgency: Urgency;
  /** Whether the result exists although nobody reported it. */
  readonly isRecorded: () => Promise<boolean>;
}

/** One unit, and who waits for it. */
interface Part {
  readonly unit: FleetUnit;
  readonly options: SendOptions;
  readonly done: (budget: BudgetView) => void;
  readonly fail: (failure: ReadError) => void;
}

/** A job whose end we haven't heard. */
interface Waiting {
  readonly id: string;
  parts: readonly Part[];
  /** In the queue, as far as we know. */
  isSent: boolean;
  /** Settles once Redis has it, or never will. */
  adding?: Promise<unknown>;
  /** Consecutive sweeps that didn't find it. */
  missed: number;
}

export class FailedUnit extends Error {
  readonly failure: ReadError;
  constructor(failure: ReadError) {
    super(failure.error.message);
    this.failure = failure;
  }
}

/** The rest of a block arrives once the journal reports it missing; a unit the journal has never arrives. */
const gatherMs = 20;

/** The number of jobs a sweep looks up in the queue. */
const statesPerSweep = 100;

/** For a job that exists but won't be done. */
const leftovers: ReadonlySet<string> = new Set(["completed", "failed", "unknown"]);

export async function fleetLane(
  redis: Redis,
  lane: string,
  firstWindow: number,
  seal: FleetSeal,
): Promise<FleetLane> {
  const bullmq = await loadPeer<typeof import("bullmq")>("bullmq");
  const queue: Queue<SealedText> = new bullmq.Queue(queueName(lane), {
    connection: redis,
    prefix,
    streams: { events: { maxLen: 100_000 } },
  });
  const listening = redis.duplicate();
  const events: QueueEvents = new bullmq.QueueEvents(queueName(lane), { connection: listening, prefix });
  // they reconnect by themselves, and the sweep finds what was missed
  queue.on("error", () => {});
  events.on("error", () => {});
  await events.waitUntilReady();
  await redis.sadd(fleetKeys.lanes, lane);
  /** By unit id: an earlier process's job that may still contain it, perhaps with others that have ended. */
  const earlier = new Map<string, string>();
  for (const id of await queue.getRanges(["active", "wait", "prioritized", "delayed"], 0, -1))
    for (const unit of unitIds(id)) earlier.set(unit, id);

  const gatherings = new Map<string, Gathering<Part>>();
  const waiting = new Map<string, Waiting>();
  const held: Waiting[] = [];
  let window = firstWindow;
  /** Units in the queue. */
  let sent = 0;
  let batch: Waiting[] = [];
  let sending: Promise<void> | undefined;
  let cancelled: Error | undefined;
  let lookedAt = 0;

  events.on("completed", ({ jobId: id, returnvalue }) => {
    // BullMQ's types call it a string but it returns the value
    const outcome = openOutcome(seal, returnvalue, id);
    for (const part of take(id)) part.done(outcome?.budget ?? nothingBooked);
  });
  events.on("failed", ({ jobId: id, failedReason }) => {
    const outcome = openOutcome(seal, readObject(failedReason), id);
    for (const part of take(id)) {
      const failure = outcome === undefined ? hearsay(failedReason) : outcome.of(part.unit.key);
      if (failure === undefined) part.done(outcome?.budget ?? nothingBooked);
      else part.fail(failure);
    }
  });

  function take(id: string): readonly Part[] {
    for (const unit of unitIds(id)) earlier.delete(unit);
    const one = waiting.get(id);
    if (one === undefined) return [];
    waiting.delete(id);
    if (one.isSent) sent -= one.parts.length;
    fill();
    return one.parts;
  }

  function gather(block: string, part: Part): void {
    const known = gatherings.get(block);
    const gathering =
      known ??
      gatherUntilQuiet<Part>(gatherMs, (parts) => {
        gatherings.delete(block);
        admit(parts);
      });
    gatherings.set(block, gathering);
    gathering.add(part, () => true);
  }

  function admit(parts: readonly Part[]): void {
    if (cancelled !== undefined) {
      for (const { fail } of parts) fail({ error: cancelled });
      return;
    }
    const together = jobIdOf(parts);
    for (const [id, own] of Map.groupBy(parts, (part) => earlier.get(jobIdOf([part])) ?? together)) {
      const one = waiting.get(id) ?? { id, parts: [], isSent: false, missed: 0 };
      one.parts = [...one.parts, ...own];
      if (one.isSent) sent += own.length;
      if (waiting.has(id)) continue;
      waiting.set(id, one);
      if (sent < window) put(one);
      else held.push(one);
    }
  }

  function fill(): void {
    while (sent < window && held.length > 0) {
      const first = held.findIndex((one) => turnOfJob(one) === 0);
      const [next] = held.splice(Math.max(first, 0), 1);
      // a job that an earlier process left in the queue may have ended by now
      if (next !== undefined && waiting.get(next.id) === next) put(next);
    }
  }

  /** All requests of one turn go out in one command. */
  function put(one: Waiting): void {
    one.isSent = true;
    sent += one.parts.length;
    batch.push(one);
    one.adding = sending ??= nextTurn().then(addBatch);
  }

  async function addBatch(): Promise<void> {
    const jobs = batch.map((one) => ({ name: "units", data: jobOf(one), opts: jobOptions(one) }));
    batch = [];
    sending = undefined;
    // the sweep finds what didn't arrive
    await queue.addBulk(jobs).catch(() => {});
  }

  /**
   * Jobs that nobody will do, because Redis lost them or only has remains of them. Our own jobs disappear when they
   * end. A job somebody else put there under its name may stay.
   */
  async function lookFor(all: readonly Waiting[]): Promise<ReadonlySet<Waiting>> {
    const pipeline = redis.pipeline();
    for (const { id } of all) pipeline.exists(queueKey(lane, id));
    const answers = (await pipeline.exec()) ?? [];
    const gone = new Set(all.filter((_, index) => answers[index]?.[1] === 0));
    const there = all.filter((one) => !gone.has(one));
    lookedAt = lookedAt < there.length ? lookedAt : 0;
    // a few in turn, because each is searched for in the queue
    const next = there.slice(lookedAt, lookedAt + statesPerSweep);
    lookedAt += statesPerSweep;
    const asked = new Set([...there.filter(({ missed }) => missed > 0), ...next]);
    await Promise.all(
      [...asked].map(async (one) => {
        if (leftovers.has(await queue.getJobState(one.id))) gone.add(one);
      }),
    );
    return gone;
  }

  async function takeBack(one: Waiting, reason: Error): Promise<void> {
    if (waiting.get(one.id) !== one) return;
    if (!one.isSent) {
      held.splice(held.indexOf(one), 1);
      for (const part of take(one.id)) part.fail({ error: reason });
      return;
    }
    // not earlier, or Redis would forget it first and receive it afterwards
    await one.adding;
    // a job that a worker has started is locked and stays; one that ended unnoticed is gone as well
    if ((await queue.remove(one.id).catch(() => 0)) !== 1) return;
    const unrecorded = new Set(await missingOf(one).catch(() => one.parts));
    if (waiting.get(one.id) !== one) return;
    for (const part of take(one.id)) {
      if (unrecorded.has(part)) part.fail({ error: reason });
      else part.done(nothingBooked);
    }
  }

  function jobOf({ id, parts }: Waiting): SealedText {
    const { run = "", settings = "" } = parts[0]?.options ?? {};
    return sealJob(seal, {
      id,
      run,
      settings,
      lane,
      tries: triesOf(parts),
      units: parts.map(({ unit }) => unit),
    });
  }

  return {
    send: (unit, options) =>
      new Promise<BudgetView>((done, refuse) => {
        const fail = (failure: ReadError) => refuse(new FailedUnit(failure));
        const part: Part = { unit, options, done, fail };
        const { block } = unit.place;
        if (block === undefined) admit([part]);
        else gather(block, part);
      }),
    async sweep() {
      const all = [...waiting.values()].filter(({ isSent }) => isSent);
      if (all.length === 0) return;
      const gone = await lookFor(all);
      for (const one of all) {
        const { id } = one;
        if (waiting.get(id) !== one) continue;
        one.missed = gone.has(one) ? one.missed + 1 : 0;
        // its end may be on its way to us
        if (one.missed < 2) continue;
        one.missed = 0;
        const missing = await missingOf(one);
        if (missing.length === 0) for (const part of take(id)) part.done(nothingBooked);
        else {
          // another job with its name would swallow it; a job that a worker has started is locked and stays
          await queue.remove(id).catch(() => redis.del(queueKey(lane, id)));
          await queue.add("units", jobOf(one), jobOptions(one));
        }
      }
    },
    async cancel(reason) {
      cancelled = reason;
      for (const one of [...held, ...waiting.values()]) await takeBack(one, reason);
    },
    setWindow(size) {
      window = size;
      fill();
    },
    async close() {
      // not awaited: without Redis, BullMQ waits for an event that never comes
      void events.close().catch(() => {});
      listening.disconnect();
      await queue.close();
    },
  };
}

const jobIdOf = (parts: readonly Part[]): string =>
  jobId(
    parts[0]?.options.run ?? "",
    parts.map(({ unit }) => unit.key),
  );

const triesOf = (parts: readonly Part[]): number => Math.max(...parts.map(({ options }) => options.tries));

async function missingOf({ parts }: Waiting): Promise<readonly Part[]> {
  const recorded = await Promise.all(parts.map(({ options }) => options.isRecorded()));
  return parts.filter((_, index) => recorded[index] === false);
}

const turnOfJob = ({ parts }: Waiting): number =>
  Math.min(...parts.map(({ options }) => turnOf(options.urgency)));

const jobOptions = (one: Waiting): JobsOptions => ({
  jobId: one.id,
  attempts: triesOf(one.parts),
  backoff: { type: "whetstone" },
  // a finished job that stays would swallow the next one with its id
  removeOnComplete: true,
  removeOnFail: true,
  // jobs with a priority come after all jobs without one
  priority: turnOfJob(one),
});
