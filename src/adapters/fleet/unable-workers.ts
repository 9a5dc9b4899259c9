import { readObject } from "../../core/json.ts";
import type { Redis } from "ioredis";
import { WhetstoneError } from "../../core/errors.ts";
import { fleetKeys } from "./fleet-keys.ts";
import { readWorkers } from "./read-workers.ts";

/** Here it cannot be done, and elsewhere perhaps: a program, a key or a sandbox is missing on this machine. */
export class UnableError extends WhetstoneError {
  constructor({ code, message, hint }: WhetstoneError) {
    super(code, message, hint === undefined ? {} : { hint });
  }
}

/** A worker that leaves the units of one queue and run to others, and why. */
export interface UnableWorker {
  readonly worker: string;
  readonly run: string;
  readonly lane: string;
  readonly message: string;
  /** Milliseconds since the epoch: when it was so for the last time. */
  readonly at: number;
}

/** Longer than any worker waits before it looks again. */
const keepMs = 180_000;

const fieldOf = ({ worker, run, lane }: Pick<UnableWorker, "worker" | "run" | "lane">): string =>
  `${worker} ${run} ${lane}`;

/** Says so to everyone; tells whether a living worker is left that has not said the same. */
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

/** What living workers cannot do; what dead ones could not is forgotten. */
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
