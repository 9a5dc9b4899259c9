import type { Redis } from "ioredis";
import { WhetstoneError } from "../../core/errors.ts";
import { isLoopbackHost } from "../is-loopback-host.ts";
import { loadPeer, requirePeers } from "../load-peer.ts";

/** Code that opens Redis uses both. */
export const fleetPackages = ["bullmq", "ioredis"] as const;

export const defaultRedis = "redis://127.0.0.1:6379";

export interface RedisOptions {
  /** Allows addresses beyond this machine without a password or TLS. @default false */
  readonly insecureRedis?: boolean;
}

/** A working connection to Redis or Valkey. Commands wait while it is lost and are sent when it is back. */
export async function openRedis(url: string, { insecureRedis = false }: RedisOptions = {}): Promise<Redis> {
  if (!insecureRedis) refuseInsecure(url);
  requirePeers(fleetPackages);
  const { Redis: Connection } = await loadPeer<typeof import("ioredis")>("ioredis");
  const redis = new Connection(url, {
    lazyConnect: true,
    // required by BullMQ: a command is never given up, it waits for the server
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(100 * times, 1000),
  });
  // every loss is followed by a retry; code that can't wait reports it where it waits
  redis.on("error", () => {});
  try {
    await redis.connect();
  } catch (cause) {
    redis.disconnect();
    throw new WhetstoneError("redis-failed", `Can't reach Redis at ${shownRedis(url)}.`, {
      cause,
      hint: "Start it, or correct `redis` (--redis redis://host:port).",
    });
  }
  return redis;
}

/** Redis contains prompts and future answers, and writing to it can stop a fleet. It must not be open by accident. */
function refuseInsecure(url: string): void {
  const { protocol, hostname, password } = parseUrl(url);
  const lacking = [
    ...(protocol === "rediss:" ? [] : ["TLS"]),
    ...(password === "" ? ["a password"] : []),
  ].join(" and ");
  // a local socket has no host
  if (hostname === "" || isLoopbackHost(hostname) || lacking === "") return;
  throw new WhetstoneError(
    "config-invalid",
    `Redis at ${shownRedis(url)} is on another machine, but the address has no ${lacking}.`,
    {
      hint: "Write its address as rediss://:password@host:port. If you trust everyone on the network, use --insecure-redis (insecureRedis: true).",
    },
  );
}

/** ioredis also accepts socket paths. */
function parseUrl(url: string): Pick<URL, "protocol" | "hostname" | "password"> {
  const written = url.includes("://") || url.startsWith("/") ? url : `redis://${url}`;
  return URL.canParse(written) ? new URL(written) : { protocol: "unix:", hostname: "", password: "" };
}

export function shownRedis(url: string): string {
  return url.replace(/\/\/([^:@/]*)(:[^@/]*)?@/, "//$1@");
}
