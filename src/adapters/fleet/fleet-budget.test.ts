import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashJson } from "../../core/canonical.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { type Cost, noCost } from "../../core/cost.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { fleetBudget } from "./fleet-budget.ts";
import { fleetForTest, testHandler } from "../../../test/support/fleet-fixture.ts";
import { fleetKeys } from "./fleet-keys.ts";
import { openRedis } from "./open-redis.ts";
import { ownLedger } from "./own-ledger.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

const clock = { now: () => Date.now(), sleep: (ms: number) => sleep(ms) };
const calls = (count: number): Cost => ({ nanoUsd: count * 10, tokens: count, calls: count });

test("a cap holds over workers: the run stops with not one call more", async () => {
  await using fleet = await fleetForTest(server.url);
  let called = 0;
  const handler = testHandler(async (name) => {
    called += 1;
    await sleep(5);
    return name;
  });
  for (let index = 0; index < 3; index += 1) await fleet.worker(handler);
  const coordinator = await fleet.coordinator("capped", { caps: { calls: 25 } });
  const ended = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) => coordinator.run(`capped ${index}`)),
  );
  expect(called).toBe(25);
  expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(25);
  expect(coordinator.stopped[0]).toMatchObject({
    code: "spend-cap",
    message: expect.stringContaining("calls 25"),
  });
  const { spent } = await readLedger(fleet.journal.read({ run: "capped" }));
  expect(spent).toEqual({ nanoUsd: 25, tokens: 25, calls: 25 });
  expect(coordinator.budget.spent()).toEqual(spent);
});

test("a settlement that fails is told once, and later ones are booked", async () => {
  const redis = await openRedis(server.url);
  await redis.set(fleetKeys.worker("one"), "{}");
  const budget = fleetBudget(redis, "told", "one", clock);
  await budget.open({ caps: {}, already: noCost, version: "0" });
  await budget.reserve(calls(2));
  redis.disconnect();
  budget.settle(calls(1), calls(1));
  await expect(budget.flush()).rejects.toThrow();
  await redis.connect();
  budget.settle(calls(1), calls(1));
  await budget.flush();
  // the first stays set aside: nobody knows what became of it
  expect(budget.spent()).toEqual(calls(2));
  redis.disconnect();
});

test("a reservation that does not fit waits for settlements of other workers", async () => {
  const redis = await openRedis(server.url);
  await redis.mset(fleetKeys.worker("one"), "{}", fleetKeys.worker("two"), "{}");
  const [one, two] = [fleetBudget(redis, "waits", "one", clock), fleetBudget(redis, "waits", "two", clock)];
  await one.open({ caps: { calls: 2 }, already: noCost, version: "0" });
  await one.reserve(calls(2));
  let isAdmitted = false;
  const waiting = two.reserve(calls(1)).then(() => {
    isAdmitted = true;
  });
  await sleep(150);
  expect(isAdmitted).toBe(false);
  one.settle(calls(2), calls(1));
  await waiting;
  two.settle(calls(1), calls(1));
  await two.flush();
  await expect(two.reserve(calls(1))).rejects.toMatchObject({ code: "spend-cap" });
  redis.disconnect();
});

test("what a dead worker had set aside is booked at worst case, and given back if it was not dead", async () => {
  const redis = await openRedis(server.url);
  await redis.set(fleetKeys.worker("gone"), "{}", "PX", 100);
  await redis.set(fleetKeys.worker("other"), "{}");
  const [gone, other] = [
    fleetBudget(redis, "dead", "gone", clock),
    fleetBudget(redis, "dead", "other", clock),
  ];
  await gone.open({ caps: { calls: 4 }, already: noCost, version: "0" });
  await gone.reserve(calls(2));
  await gone.reserve(calls(1));
  await sleep(150);
  await expect(other.reserve(calls(2))).rejects.toMatchObject({ code: "spend-cap" });
  expect(await redis.hgetall(fleetKeys.budget("dead"))).toMatchObject({
    "spent calls": "3",
    "reserved calls": "0",
  });
  gone.settle(calls(2), calls(1));
  gone.settle(calls(1), noCost);
  await gone.flush();
  await other.reserve(calls(2));
  other.settle(calls(2), calls(2));
  await other.flush();
  expect(other.spent()).toEqual(calls(3));
  redis.disconnect();
});

test("an execution begins from the ledger; with calls in flight never from less", async () => {
  const redis = await openRedis(server.url);
  await redis.set(fleetKeys.worker("busy"), "{}");
  const budget = fleetBudget(redis, "again", "busy", clock);
  const spentNow = async () => Number(await redis.hget(fleetKeys.budget("again"), "spent calls"));
  await budget.open({ caps: {}, already: calls(7), version: await budget.version() });
  expect(await spentNow()).toBe(7);
  await budget.reserve(calls(2));
  // the ledger counts the two as lost, and one more that Redis has forgotten
  await budget.open({ caps: {}, already: calls(10), version: await budget.version() });
  expect(await spentNow()).toBe(8);
  const version = await budget.version();
  budget.settle(calls(2), calls(2));
  await budget.flush();
  // something was booked since the ledger was read: it is not taken back
  await budget.open({ caps: {}, already: calls(8), version });
  expect(await spentNow()).toBe(10);
  redis.disconnect();
});

test("a run's last word counts what a dead worker had begun, also when Redis has forgotten it", async () => {
  await using fleet = await fleetForTest(server.url);
  const redis = await openRedis(server.url);
  const run = "forgotten";
  const budget = fleetBudget(redis, run, "coordinator", clock);
  const own = ownLedger({ run, journal: fleet.journal, budget, caps: {}, clock, already: noCost, after: 0 });
  await fleet.journal.write({
    kind: "intent",
    run,
    key: hashJson("lost"),
    name: "",
    body: { worst: { ...calls(1) } },
  });
  await own.catchUp();
  expect(own.spent()).toEqual(noCost);
  expect(await own.booked()).toEqual(calls(1));
  redis.disconnect();
});
