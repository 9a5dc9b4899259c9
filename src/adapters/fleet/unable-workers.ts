import { readObject } from "../../core/json.ts";
import type { Redis } from "ioredis";
import { WhetstoneError } from "../../core/errors.ts";
import { fleetKeys } from "./fleet-keys.ts";
import { readWorkers } from "./read-workers.ts";

/** It can't be done here, but perhaps elsewhere: this machine lacks a program, a key or a sandbox. */
export class UnableError extends WhetstoneError {
  constructor({ code, message, hint }: WhetstoneError) {
    super(code, message, hint === undefined ? {} : { hint });
  }
}

/** A worker that leaves one queue's and run's units to others, and its reason. */
export interface UnableWorker {
  readonly worker: string;
  readonly run: string;
  readonly lane: string;
  readonly message: string;
  /** Milliseconds since the epoch: the last time it was so. */
  readonly at: number;
}

/** Longer than any worker waits before it checks again. */
const keepMs = 180_000;

const fieldOf = ({ worker, run, lane }: Pick<UnableWorker, "worker" | "run" | "lane">): string =>
  `${worker} ${run} ${lane}`;

/** Announces it, and returns whether a live worker is left that hasn't announced the same. */
export async function tellUnable(
  redis: Redis,
  unable: UnableWorker,
): Promise<{ readonly hasOthers: boolean }> {
  await redis.hset(fleetKeys.unable, fieldOf(unable), JSON.stringify(unable));
  const same = (await readUnable(redis)).filter(
    ({ run, lane }) => run === unable.run && lane === unable.lane,
  );
  const told = new Set(same.map(({ worker }) => worker));
  return { hasOthers: (await readWorkers(redis)).some(({ id }) => !told.has(id)) };
}

export async function tellAble(
  redis: Redis,
  place: Pick<UnableWorker, "worker" | "run" | "lane">,
): Promise<void> {
  await redis.hdel(fleetKeys.unable, fieldOf(place));
}

/** Units that live workers can't do; those of dead workers are forgotten. */
export async function readUnable(redis: Redis): Promise<readonly UnableWorker[]> {
  const [told, workers] = await Promise.all([redis.hgetall(fleetKeys.unable), readWorkers(redis)]);
  const alive = new Set(workers.map(({ id }) => id));
  const all = Object.entries(told).flatMap(([field, text]) => {
    const one = readObject(text) as UnableWorker | undefined;
    return one === undefined ? [] : [{ field, one }];
  });
  const isNow = ({ worker, at }: UnableWorker) => alive.has(worker) && Date.now() - at < keepMs;
  const old = all.filter(({ one }) => !isNow(one));
  if (old.length > 0) await redis.hdel(fleetKeys.unable, ...old.map(({ field }) => field));
  return all.filter(({ one }) => isNow(one)).map(({ one }) => one);
}
