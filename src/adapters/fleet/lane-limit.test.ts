import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { InfraError } from "../../core/errors.ts";
import type { EventBody } from "../../core/events.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { fleetForTest, testHandler } from "../../../test/support/fleet-fixture.ts";
import { createHandlers } from "../../core/work/handlers.ts";
import { openRedis } from "./open-redis.ts";
import { laneLimit } from "./lane-limit.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Counts what is in flight over all workers of this process. */
function meteredHandler(run: () => Promise<void>) {
  let inFlight = 0;
  const seen = { most: 0, calls: 0 };
  const handler = testHandler(async (name) => {
    inFlight += 1;
    seen.calls += 1;
    seen.most = Math.max(seen.most, inFlight);
    try {
      await run();
    } finally {
      inFlight -= 1;
    }
    return name;
  });
  return { handler, seen };
}

test("workers together never exceed the limit of a run, and reach it", async () => {
  await using fleet = await fleetForTest(server.url);
  const { handler, seen } = meteredHandler(() => sleep(40));
  for (const _ of range(4)) await fleet.worker(handler);
  const coordinator = await fleet.coordinator("limited", { concurrency: 10 });
  await Promise.all(range(150).map((index) => coordinator.run(`limited ${index}`)));
  expect(seen).toEqual({ most: 10, calls: 150 });
});

test("of two runs on one model the lower limit holds, until its run has ended", async () => {
  await using fleet = await fleetForTest(server.url);
  const { handler, seen } = meteredHandler(() => sleep(40));
  for (const _ of range(2)) await fleet.worker(handler);
  const [low, high] = [
    await fleet.coordinator("low", { concurrency: 3 }),
    await fleet.coordinator("high", { concurrency: 12 }),
  ];
  await Promise.all(range(40).map((index) => (index % 2 === 0 ? low : high).run(`shared ${index}`)));
  expect(seen.most).toBe(3);
  await low.close();
  await Promise.all(range(80).map((index) => high.run(`alone ${index}`)));
  expect(seen.most).toBeGreaterThan(3);
});

test("a throttled call slows all workers: the limit is halved and nobody begins for a while", async () => {
  await using fleet = await fleetForTest(server.url);
  const begun: number[] = [];
  let throttledAt = 0;
  const isThrottle = (event: EventBody) => event.type === "lane-change" && event.state === "throttled";
  const handler = testHandler(async (name) => {
    begun.push(Date.now());
    if (name.startsWith("throttled") && throttledAt === 0) {
      throttledAt = Date.now();
      throw new InfraError("throttle", "429", { retryAfterMs: 600 });
    }
    // nobody makes room before the word is out
    if (name.startsWith("throttled")) while (!coordinator.events.some(isThrottle)) await sleep(5);
    return name;
  });
  for (const _ of range(3)) await fleet.worker(handler);
  const coordinator = await fleet.coordinator("throttled", { concurrency: 8 });
  await Promise.all(range(30).map((index) => coordinator.run(`warm ${index}`)));
  await Promise.all(range(40).map((index) => coordinator.run(`throttled ${index}`)));
  expect(coordinator.events.find(isThrottle)).toMatchObject({ limit: 4 });
  // only those that had a place already
  expect(begun.filter((at) => at > throttledAt && at < throttledAt + 600).length).toBeLessThan(8);
});

test("a provider that never answered costs five calls over all workers, whatever waits", async () => {
  await using fleet = await fleetForTest(server.url);
  const { handler, seen } = meteredHandler(async () => {
    throw new InfraError("transport", "ECONNREFUSED");
  });
  const dead = { ...handler, lane: () => "scripted/dead" };
  for (const _ of range(3)) await fleet.worker(dead);
  const { createHandlers } = await import("../../core/work/handlers.ts");
  const coordinator = await fleet.coordinator("dead", { handlers: createHandlers([dead]) });
  const ended = await Promise.allSettled(range(20).map((index) => coordinator.run(`dead ${index}`)));
  expect(ended.every(({ status }) => status === "rejected")).toBe(true);
  expect(seen.calls).toBe(5);
  expect(coordinator.events).toContainEqual(expect.objectContaining({ type: "lane-change", state: "down" }));
});

test("a throttle halves, what took too long halves, and calls from before a halving do not halve again", async () => {
  const redis = await openRedis(server.url);
  const limit = laneLimit(redis, "rules", { breakAfter: 5, probeMs: 100 });
  const begin = () => limit.begin("none", "none", 1000);
  const allowed = async () => Number(await redis.hget("whetstone:rules:meta", "concurrency"));
  const throttle = new InfraError("throttle", "429", { retryAfterMs: 1 });
  await limit.end(await begin(), "success");
  expect(await allowed()).toBe(12);
  // nobody waits: nothing is known of the server
  for (const _ of range(20)) await limit.end(await begin(), "success");
  expect(await allowed()).toBe(12);
  const [early, late] = [await begin(), await begin()];
  expect(await limit.end(early, throttle)).toEqual({ state: "throttled", limit: 6 });
  expect(await limit.end(late, throttle)).toBeUndefined();
  for (const _ of range(7)) await limit.end(await begin(), "success");
  expect(await allowed()).toBe(7);
  const tooLong = new InfraError("transport", "No answer within 600 s.", { billed: "unknown", isLate: true });
  expect(await limit.end(await begin(), tooLong)).toEqual({ state: "throttled", limit: 3 });
  await limit.end(await begin(), "success");
  const failure = new InfraError("transport", "reset");
  for (const _ of range(4)) expect(await limit.end(await begin(), failure)).toBeUndefined();
  expect(await limit.end(await begin(), failure)).toEqual({ state: "open", limit: 1 });
  expect(await redis.pttl("whetstone:rules:limiter")).toBeGreaterThan(50);
  expect(await limit.end(await begin(), "success")).toMatchObject({ state: "closed" });
  redis.disconnect();
});

test("a near server with one slot is not flooded; a far one with room for all is asked for more and more", async () => {
  const run = async (name: string, isNear: boolean, serve: () => Promise<void>) => {
    await using fleet = await fleetForTest(server.url);
    const { handler, seen } = meteredHandler(serve);
    const lane = { ...handler, lane: () => `climb/${name}`, isNear: () => isNear };
    for (const _ of range(4)) await fleet.worker(lane);
    const coordinator = await fleet.coordinator(name, { handlers: createHandlers([lane]) });
    await Promise.all(range(100).map((index) => coordinator.run(`${name} ${index}`)));
    return seen.most;
  };
  let slot = Promise.resolve();
  const oneSlot = () => (slot = slot.then(() => sleep(10)));
  expect(await run("near", true, oneSlot)).toBeLessThanOrEqual(16);
  expect(await run("far", false, () => sleep(100))).toBeGreaterThan(12);
});
