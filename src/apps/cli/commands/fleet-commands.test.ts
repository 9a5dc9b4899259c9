import { expect, onTestFinished, test } from "vitest";
import { fleetForTest, testHandler } from "../../../../test/support/fleet-fixture.ts";
import { fleetKeys } from "../../../adapters/fleet/fleet-keys.ts";
import { openRedis } from "../../../adapters/fleet/open-redis.ts";
import { readFleet } from "../../../adapters/fleet/read-fleet.ts";
import { startRedis } from "../../../../test/support/start-redis.ts";
import { fleetLines } from "./fleet-commands.ts";

test("the fleet is shown with its workers, queues, limits and what is stuck", async () => {
  const server = await startRedis();
  onTestFinished(() => server.end());
  const redis = await openRedis(server.url);
  onTestFinished(() => redis.disconnect());
  expect(fleetLines(await readFleet(redis), Date.now())[0]).toBe(
    "No workers are running: start `whetstone worker`.",
  );
  await using fleet = await fleetForTest(server.url);
  const held = new Promise<void>((resolve) => onTestFinished(() => resolve()));
  const begun: string[] = [];
  let release = () => {};
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  await fleet.worker(
    testHandler(async (name) => {
      begun.push(name);
      await Promise.race([blocked, held]);
      return name;
    }),
  );
  const coordinator = await fleet.coordinator("shown", { concurrency: 3 });
  const results = Promise.all(["a", "b", "c", "d", "e"].map((name) => coordinator.run(name)));
  while (begun.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const parked = {
    run: "r",
    key: "k",
    lane: "l",
    kind: "agent",
    cause: "It ended 5 workers.",
    at: Date.now(),
  };
  await redis.hset(fleetKeys.parked, "r-k", JSON.stringify(parked));
  const state = await readFleet(redis);
  expect(state.workers).toEqual([expect.objectContaining({ pid: process.pid, concurrency: 20 })]);
  expect(state.lanes).toEqual([
    expect.objectContaining({ lane: "scripted/target", inFlight: 1, limit: 1, waiting: 4, pausedMs: 0 }),
  ]);
  const oldest = { ...state.lanes[0]!.oldest!, ms: 300_000 };
  const lines = fleetLines({ ...state, lanes: [{ ...state.lanes[0]!, oldest }] }, Date.now()).join("\n");
  expect(lines).toContain("1 of 1 in flight, 4 waiting");
  expect(lines).toMatch(/test [0-9a-f]{12} of run shown for 5 min on /);
  expect(lines).toContain("It ended 5 workers. (0 s ago)");
  const unable = { worker: "m1", run: "shown-0123", lane: "pi/m", message: "No program.", at: Date.now() };
  expect(fleetLines({ ...state, unable: [unable] }, Date.now())).toContain(
    "  m1  pi/m of run shown-01: No program.",
  );
  release();
  await results;
});
