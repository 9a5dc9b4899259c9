import { readObject } from "../../core/json.ts";
import type { Redis } from "ioredis";
import { fleetKeys } from "./fleet-keys.ts";
import type { WorkerAbout } from "./keep-leases.ts";

export interface LiveWorker extends WorkerAbout {
  readonly id: string;
  /** Units it is running. */
  readonly running: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const mostConcurrency = 10_000;

/** The live workers; dead ones are forgotten. */
export async function readWorkers(redis: Redis): Promise<readonly LiveWorker[]> {
  const ids = await redis.smembers(fleetKeys.workers);
  if (ids.length === 0) return [];
  const texts = await redis.mget(ids.map((id) => fleetKeys.worker(id)));
  const dead = ids.filter((_, index) => texts[index] === null);
  if (dead.length > 0) await redis.srem(fleetKeys.workers, ...dead);
  return ids.flatMap((id, index) => {
    const about = readObject(texts[index]) as Omit<LiveWorker, "id"> | undefined;
    const isWorker = about !== undefined && Number.isInteger(about.concurrency) && about.concurrency > 0;
    // its own claims set the size of a queue, so no number may be unreasonable
    return isWorker ? [{ ...about, id, concurrency: Math.min(about.concurrency, mostConcurrency) }] : [];
  });
}
