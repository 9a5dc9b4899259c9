import { createRequire } from "node:module";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { WhetstoneError } from "../../core/errors.ts";
import { loadPeer } from "../load-peer.ts";

/** A connection to Redis or Valkey, known to work; commands wait while it is lost and go out when it is back. */
export async function openRedis(url: string): Promise<Redis> {
  const { Redis: Connection } = await loadPeer<typeof import("ioredis")>("ioredis");
  const redis = new Connection(url, {
    lazyConnect: true,
    // BullMQ asks for it: a command is never given up, it waits for the server
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(100 * times, 1000),
  });
  // every loss is followed by a new try; what cannot go on says so where it waits
  redis.on("error", () => {});
  try {
    await redis.connect();
  } catch (cause) {
    redis.disconnect();
    throw new WhetstoneError("redis-failed", `Redis at ${withoutPassword(url)} cannot be reached.`, {
      cause,
      hint: "Start it, or correct `redis` (--redis redis://host:port).",
    });
  }
  return redis;
}

/** Where a thread of its own finds the same client. */
export function redisClientPath(): string {
  try {
    return createRequire(import.meta.url).resolve("ioredis");
  } catch {
    return createRequire(join(process.cwd(), "package.json")).resolve("ioredis");
  }
}

export function withoutPassword(url: string): string {
  return url.replace(/\/\/([^:@/]*)(:[^@/]*)?@/, "//$1@");
}
