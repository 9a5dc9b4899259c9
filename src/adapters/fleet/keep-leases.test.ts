import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { fleetKeys, queueKey } from "./fleet-keys.ts";
import { type Leases, keepLeases } from "./keep-leases.ts";
import { openRedis } from "./open-redis.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

const lockMs = 500;
const open = (worker: string, ms = lockMs): Promise<Leases> =>
  keepLeases({ redis: server.url, worker, about: { host: "here", pid: 1, concurrency: 1 }, lockMs: ms });

test("closing while a renewal is under way ends the thread", async () => {
  const redis = await openRedis(server.url);
  const leases = await open("slow");
  // Redis answers nobody for longer than the time between two renewals
  await redis.client("PAUSE", lockMs, "ALL");
  await sleep(lockMs / 2);
  await leases.close();
  expect(await redis.exists(fleetKeys.worker("slow"))).toBe(0);
  redis.disconnect();
});

test("whoever lost a unit to another hand of the same worker does not drop its lease", async () => {
  const redis = await openRedis(server.url);
  const leases = await open("two hands", 5000);
  const lock = queueKey("lane", "unit:lock");
  await redis.set(lock, "second", "PX", 3_600_000);
  leases.take("lane", "unit", "first");
  leases.take("lane", "unit", "second");
  leases.drop("lane", "unit", "first");
  // renewed: it lasts from now on as long as a lease does
  await expect.poll(() => redis.pttl(lock)).toBeLessThanOrEqual(5000);
  expect(await redis.get(lock)).toBe("second");
  leases.drop("lane", "unit", "second");
  await expect.poll(() => redis.get(lock)).toBeNull();
  await leases.close();
  redis.disconnect();
});

test("without Redis a worker leaves too", async () => {
  const leases = await open("alone");
  await server.stop("SIGKILL");
  await leases.close();
  await server.start();
});
