import type { Redis } from "ioredis";
import { WhetstoneError } from "../../core/errors.ts";
import { isLoopbackHost } from "../is-loopback-host.ts";
import { loadPeer, requirePeers } from "../load-peer.ts";

/** Who opens Redis works with both. */
export const fleetPackages = ["bullmq", "ioredis"] as const;

export const defaultRedis = "redis://127.0.0.1:6379";

export interface RedisOptions {
  /** Beyond this machine also without password or TLS. @default false */
  readonly insecureRedis?: boolean;
}

/** A connection to Redis or Valkey, known to work; commands wait while it is lost and go out when it is back. */
export async function openRedis(url: string, { insecureRedis = false }: RedisOptions = {}): Promise<Redis> {
  if (!insecureRedis) refuseInsecure(url);
  requirePeers(fleetPackages);
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
    throw new WhetstoneError("redis-failed", `Redis at ${shownRedis(url)} cannot be reached.`, {
      cause,
      hint: "Start it, or correct `redis` (--redis redis://host:port).",
    });
  }
  return redis;
}

/** Prompts and answers to come are in Redis, and whoever can write there can stop a fleet: it is no open door by accident. */
function refuseInsecure(url: string): void {
  const { protocol, hostname, password } = parseUrl(url);
  const lacking = [
    ...(protocol === "rediss:" ? [] : ["TLS"]),
    ...(password === "" ? ["a password"] : []),
  ].join(" and ");
  // a socket of this machine has no host
  if (hostname === "" || isLoopbackHost(hostname) || lacking === "") return;
  throw new WhetstoneError(
    "config-invalid",
    `Redis at ${shownRedis(url)} is another machine, and is reached without ${lacking}.`,
    {
      hint: "Write its address as rediss://:password@host:port; or, in a network where you trust everybody, say so: --insecure-redis (insecureRedis: true).",
    },
  );
}

/** ioredis takes paths of sockets too. */
function parseUrl(url: string): Pick<URL, "protocol" | "hostname" | "password"> {
  const written = url.includes("://") || url.startsWith("/") ? url : `redis://${url}`;
  return URL.canParse(written) ? new URL(written) : { protocol: "unix:", hostname: "", password: "" };
}

export function shownRedis(url: string): string {
  return url.replace(/\/\/([^:@/]*)(:[^@/]*)?@/, "//$1@");
}
