import { readObject } from "../../core/json.ts";
import type { Job, Queue } from "bullmq";
import type { Redis } from "ioredis";
import { loadPeer } from "../load-peer.ts";
import type { FleetJob } from "./fleet-job.ts";
import type { SealedText } from "./fleet-seal.ts";
import { fleetKeys, prefix, queueKey, queueName } from "./fleet-keys.ts";
import { type LiveWorker, readWorkers } from "./read-workers.ts";
import { type UnableWorker, readUnable } from "./unable-workers.ts";

/** A fleet's current activity. */
export interface FleetState {
  readonly workers: readonly LiveWorker[];
  readonly lanes: readonly LaneView[];
  readonly parked: readonly ParkedUnit[];
  readonly unable: readonly UnableWorker[];
}

export interface LaneView {
  readonly lane: string;
  readonly inFlight: number;
  /** The most that may be in flight over all workers. */
  readonly limit: number;
  /** Here and in the next two, a claim's block travels as one and counts once. */
  readonly waiting: number;
  /** Will be retried after a while. */
  readonly later: number;
  /** Units that ended in the last full minute. */
  readonly lastMinute: number;
  /** Milliseconds until new units may start, because the provider asked for a pause. */
  readonly pausedMs: number;
  /** Why the provider isn't being called. */
  readonly down?: string;
  readonly oldest?: LongUnit;
}

/** The unit that has been in flight longest. */
export interface LongUnit {
  readonly run: string;
  readonly key: string;
  readonly kind: string;
  readonly worker: string;
  readonly ms: number;
}

export interface ParkedUnit {
  readonly run: string;
  readonly key: string;
  readonly lane: string;
  readonly kind: string;
  readonly cause: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Long enough to find the oldest, short enough for a thousand workers. */
const mostLookedAt = 1000;

export async function readFleet(redis: Redis): Promise<FleetState> {
  const bullmq = await loadPeer<typeof import("bullmq")>("bullmq");
  const names = (await redis.smembers(fleetKeys.lanes)).toSorted();
  const lanes: LaneView[] = [];
  for (const lane of names) {
    const queue: Queue<SealedText> = new bullmq.Queue(queueName(lane), {
      connection: redis,
      prefix,
      skipMetasUpdate: true,
    });
    lanes.push(await readLane(redis, queue, lane));
  }
  const parked = Object.values(await redis.hgetall(fleetKeys.parked));
  return {
    workers: await readWorkers(redis),
    lanes,
    parked: parked.flatMap((text) => (readObject(text) as ParkedUnit | undefined) ?? []),
    unable: await readUnable(redis),
  };
}

async function readLane(redis: Redis, queue: Queue<SealedText>, lane: string): Promise<LaneView> {
  const [counts, metrics, active, [limit, granted, unplaced], pausedMs, [down, downUntil]] =
    await Promise.all([
      queue.getJobCounts("active", "waiting", "prioritized", "delayed"),
      queue.getMetrics("completed", 0, 0),
      queue.getActive(0, mostLookedAt),
      redis.hmget(fleetKeys.wide(lane), "allowed", "granted", "waiting"),
      redis.pttl(queueKey(lane, "limiter")),
      redis.hmget(fleetKeys.lane(lane), "downMessage", "downUntil"),
    ]);
  const oldest = longest(active as (Job<SealedText> | undefined)[]);
  const isPaused = Number(await redis.get(queueKey(lane, "limiter"))) === Number.MAX_SAFE_INTEGER;
  return {
    lane,
    inFlight: (counts["active"] ?? 0) + Number(granted ?? 0) - Number(unplaced ?? 0),
    limit: Number(limit ?? 1),
    waiting: (counts["waiting"] ?? 0) + (counts["prioritized"] ?? 0),
    later: counts["delayed"] ?? 0,
    lastMinute: metrics.data[0] ?? 0,
    pausedMs: isPaused ? Math.max(0, pausedMs) : 0,
    ...(down && Number(downUntil) > Date.now() ? { down } : {}),
    ...(oldest === undefined ? {} : { oldest }),
  };
}

/** For display only: workers check the signature. */
function longest(jobs: readonly (Job<SealedText> | undefined)[]): LongUnit | undefined {
  const [first] = jobs
    .flatMap((job) => (job?.processedOn === undefined ? [] : [{ job, since: job.processedOn }]))
    .toSorted((a, b) => a.since - b.since);
  if (first === undefined) return undefined;
  const { run, units = [] } = (readObject(first.job.data.text) ?? {}) as Partial<FleetJob>;
  const unit = units[0];
  if (run === undefined || unit === undefined) return undefined;
  const worker = first.job.processedBy ?? "";
  return { run, key: unit.key, kind: unit.unit.kind, worker, ms: Math.max(0, Date.now() - first.since) };
}
