import type { Queue } from "bullmq";
import { fleetKeys, prefix, queueName } from "../fleet/fleet-keys.ts";
import { type RedisOptions, openRedis } from "../fleet/open-redis.ts";
import { loadPeer } from "../load-peer.ts";

/** How many jobs a lane of the fleet holds: units, or blocks of a claim. */
export interface QueueDepth {
  readonly lane: string;
  readonly waiting: number;
  /** Will be tried again after a while. */
  readonly later: number;
  readonly active: number;
}

export interface QueueDepths {
  read(): Promise<readonly QueueDepth[]>;
  close(): void;
}

/** Reads the queues of a fleet again and again, on a connection of its own. */
export async function openQueueDepths(redisUrl: string, options?: RedisOptions): Promise<QueueDepths> {
  const bullmq = await loadPeer<typeof import("bullmq")>("bullmq");
  const redis = await openRedis(redisUrl, options);
  const queues = new Map<string, Queue>();
  const queueOf = (lane: string): Queue => {
    const queue =
      queues.get(lane) ??
      new bullmq.Queue(queueName(lane), { connection: redis, prefix, skipMetasUpdate: true });
    queues.set(lane, queue);
    return queue;
  };
  return {
    async read() {
      const lanes = (await redis.smembers(fleetKeys.lanes)).toSorted();
      return Promise.all(
        lanes.map(async (lane) => {
          const counts = await queueOf(lane).getJobCounts("active", "waiting", "prioritized", "delayed");
          return {
            lane,
            waiting: (counts["waiting"] ?? 0) + (counts["prioritized"] ?? 0),
            later: counts["delayed"] ?? 0,
            active: counts["active"] ?? 0,
          };
        }),
      );
    },
    close: () => redis.disconnect(),
  };
}
