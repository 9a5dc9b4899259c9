import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hashJson } from "../../core/canonical.ts";
import { InfraError } from "../../core/errors.ts";
import { createHandlers } from "../../core/work/handlers.ts";
import type { JsonObject } from "../../core/json.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { unitKey } from "../../core/work/unit.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { fleetForTest, testHandler, testUnit } from "../../../test/support/fleet-fixture.ts";
import { type FleetJob, jobId, sealJob, sealSettings } from "./fleet-job.ts";
import { fleetKeys, prefix, queueKey, queueName } from "./fleet-keys.ts";
import { type SealedText, fleetSeal } from "./fleet-seal.ts";
import { openRedis } from "./open-redis.ts";
import { sealForTest } from "../../../test/support/fleet-sealing.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

const stranger = fleetSeal("somebody who can write to Redis and knows no secret");

/** Somebody with a connection to Redis and nothing else. */
async function intruder(lane: string): Promise<{ readonly redis: Redis; readonly queue: Queue }> {
  const redis = await openRedis(server.url);
  const queue = new Queue(queueName(lane), { connection: redis, prefix });
  onTestFinished(() => redis.disconnect());
  return { redis, queue };
}

/** A lane with a worker that notes what it ran and what it said. */
async function victim(lane: string, run: (name: string) => Promise<string> = async (name) => name) {
  const fleet = await fleetForTest(server.url);
  onTestFinished(() => fleet[Symbol.asyncDispose]());
  const ran: string[] = [];
  const problems: string[] = [];
  const handler = testHandler(async (name) => {
    ran.push(name);
    return run(name);
  }, lane);
  await fleet.worker(handler, { onProblem: (sentence) => problems.push(sentence) });
  return { fleet, handlers: createHandlers([handler]), ran, problems };
}

/** A job as the coordinator of that run would send it. */
function jobFor(run: string, lane: string, name: string, settings: JsonObject, more: Partial<FleetJob> = {}) {
  const key = unitKey(testUnit(name));
  const place = { role: "target", step: 0, stage: "rollout" } as const;
  return {
    id: jobId(run, [key]),
    run,
    lane,
    settings: hashJson(settings),
    tries: 1,
    units: [{ key, unit: testUnit(name), place }],
    ...more,
  } satisfies Omit<FleetJob, "expires">;
}

test("forged settings open nothing, and settings of a run that ended are worth nothing later", async () => {
  const lane = "scripted/settings";
  const { fleet, ran, problems } = await victim(lane);
  const { redis, queue } = await intruder(lane);
  await redis.sadd(fleetKeys.lanes, lane);
  const settings = { dir: fleet.dir, sandbox: "none" };
  const add = async (run: string, written: string) => {
    await redis.set(fleetKeys.run(run), written);
    const job = jobFor(run, lane, run, settings);
    // even with a job that is signed
    await queue.add("units", sealJob(sealForTest, job), { jobId: job.id, removeOnFail: true });
  };
  await add("plain", JSON.stringify(settings));
  await add("strange", sealSettings(stranger, "strange", settings));
  await add("copied", sealSettings(sealForTest, "another run", settings));
  const { text } = JSON.parse(sealSettings(sealForTest, "ended", settings)) as SealedText;
  const ended = { ...(JSON.parse(text) as JsonObject), expires: Date.now() - 3_600_000 };
  await add("ended", JSON.stringify(sealForTest.seal("settings", JSON.stringify(ended))));
  await expect.poll(() => problems.length).toBeGreaterThanOrEqual(3);
  await expect.poll(() => queue.getJobCountByTypes("waiting", "active", "delayed", "failed")).toBe(0);
  expect(ran).toEqual([]);
});

test("a copy of a job that was done buys nothing and changes nothing", async () => {
  const lane = "scripted/replayed";
  const { fleet, handlers, ran } = await victim(lane);
  const coordinator = await fleet.coordinator("replayed", { handlers });
  const { redis, queue } = await intruder(lane);
  // as it passed by
  const job = jobFor("replayed", lane, "once", { dir: fleet.dir });
  const copy = sealJob(sealForTest, job);
  await coordinator.run("once");
  const before = await readLedger(fleet.journal.read());
  for (let nth = 0; nth < 5; nth += 1) {
    await queue.add("units", copy, { jobId: job.id, removeOnComplete: true, removeOnFail: true });
    await expect.poll(() => redis.exists(queueKey(lane, job.id))).toBe(0);
  }
  expect(ran).toEqual(["once"]);
  expect(await readLedger(fleet.journal.read())).toEqual(before);
});

test("what somebody leaves under a job's name holds nobody up for longer than it takes to look twice", async () => {
  const lane = "scripted/left";
  const { fleet, handlers, ran } = await victim(lane);
  const { redis } = await intruder(lane);
  const coordinator = await fleet.coordinator("left", { handlers, concurrency: 8 });
  await coordinator.run("warm up");
  const names = ["completed", "failed", "placeless", "strange"] as const;
  const idOf = (name: string) => jobFor("left", lane, name, { dir: fleet.dir }).id;
  const rest = { timestamp: "1", finishedOn: "2", name: "units", data: "{}", opts: "{}" };
  // as of jobs that somebody added without removeOnComplete or removeOnFail, and whose end nobody here heard
  for (const state of ["completed", "failed"] as const) {
    await redis.hset(queueKey(lane, idOf(state)), rest);
    await redis.zadd(queueKey(lane, state), 2, idOf(state));
  }
  await redis.hset(queueKey(lane, idOf("placeless")), rest);
  await redis.set(queueKey(lane, idOf("strange")), "of no use");
  const ends = await Promise.all(names.map((name) => coordinator.run(name)));
  expect(ends.map(({ output }) => output)).toEqual(names);
  expect(ran.toSorted()).toEqual([...names, "warm up"].toSorted());
});

test("a copy of a job that fails has no more tries on a worker than were signed", async () => {
  const lane = "scripted/used-up";
  const { fleet, handlers, ran, problems } = await victim(lane, () =>
    Promise.reject(new InfraError("transport", "reset", { billed: "unknown" })),
  );
  const coordinator = await fleet.coordinator("used-up", { handlers, policy: { tries: 1 } });
  const { redis, queue } = await intruder(lane);
  await expect(coordinator.run("first")).rejects.toMatchObject({ message: "reset" });
  const job = jobFor("used-up", lane, "dear", { dir: fleet.dir });
  const copy = sealJob(sealForTest, job);
  for (let nth = 0; nth < 5; nth += 1) {
    await queue.add("units", copy, { jobId: job.id, removeOnFail: true });
    await expect.poll(() => redis.exists(queueKey(lane, job.id))).toBe(0);
  }
  expect(ran).toEqual(["first", "dear"]);
  expect(problems.join()).toContain("It has used up its tries here.");
});

test("a unit whose result never reaches the journal is given up after a few claims", async () => {
  const lane = "scripted/claimed";
  const fleet = await fleetForTest(server.url);
  onTestFinished(() => fleet[Symbol.asyncDispose]());
  const elsewhere = await fleetForTest(server.url);
  onTestFinished(() => elsewhere[Symbol.asyncDispose]());
  const handler = testHandler(async (name) => name, lane);
  await fleet.worker(handler, {
    openRun: async () => ({
      handlers: createHandlers([handler]),
      journal: elsewhere.journal,
      close: async () => {},
    }),
  });
  const coordinator = await fleet.coordinator("claimed", { handlers: createHandlers([handler]) });
  await expect(coordinator.run("one")).rejects.toMatchObject({
    class: "transport",
    message: "The worker's result isn't in this journal.",
  });
});
