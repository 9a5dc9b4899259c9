import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hashJson } from "../../core/canonical.ts";
import { InfraError } from "../../core/errors.ts";
import { createHandlers } from "../../core/work/handlers.ts";
import type { JsonObject } from "../../core/json.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { noCost } from "../../core/cost.ts";
import { unitKey } from "../../core/work/unit.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { fleetBudget, nothingBooked } from "./fleet-budget.ts";
import { fleetForTest, testHandler, testUnit } from "../../../test/support/fleet-fixture.ts";
import { type FleetJob, jobId, sealJob, sealSettings } from "./fleet-job.ts";
import { fleetKeys, prefix, queueKey, queueName } from "./fleet-keys.ts";
import { type SealedText, fleetSeal } from "./fleet-seal.ts";
import { openRedis } from "./open-redis.ts";
import { ownLedger } from "./own-ledger.ts";
import { sealForTest } from "../../../test/support/fleet-sealing.ts";
import { sealOutcome } from "./wire-error.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

const stranger = fleetSeal("somebody who can write to Redis and knows no secret");
const clock = { now: () => Date.now(), sleep: (ms: number) => sleep(ms, undefined) };

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

test("what nobody of the fleet has signed, for here and now, is not done and leaves no trace in the queue", async () => {
  const lane = "scripted/forged";
  const { fleet, handlers, ran, problems } = await victim(lane);
  const coordinator = await fleet.coordinator("honest", { handlers });
  await coordinator.run("honest 1");
  const { redis, queue } = await intruder(lane);
  const settings = { dir: fleet.dir };
  const real = (name: string, more: Partial<FleetJob> = {}) => {
    const job = jobFor("honest", lane, name, settings, more);
    return { job, sealed: sealJob(sealForTest, job) };
  };
  const altered = (sealed: SealedText, change: (body: FleetJob) => object): SealedText => ({
    ...sealed,
    text: JSON.stringify(change(JSON.parse(sealed.text) as FleetJob)),
  });
  const add = (data: unknown, id: string) => queue.add("units", data, { jobId: id, attempts: 3 });

  const plain = real("plain");
  await add(plain.job, plain.job.id);
  await add(sealJob(stranger, plain.job), `${plain.job.id}a`);
  const other = real("other unit");
  await add(
    altered(plain.sealed, (body) => ({ ...body, units: other.job.units })),
    plain.job.id,
  );
  await add(
    altered(plain.sealed, (body) => ({ ...body, expires: body.expires + 1 })),
    `${plain.job.id}b`,
  );
  // sealed by us, as something else or for elsewhere
  await add(sealForTest.seal("event", plain.sealed.text), `${plain.job.id}c`);
  await add(plain.sealed, `${plain.job.id}d`);
  await add(real("of another queue", { lane: "scripted/else" }).sealed, real("of another queue").job.id);
  const old = real("old");
  const past = { ...old.job, expires: Date.now() - 3_600_000 };
  await add(sealForTest.seal("job", JSON.stringify(past)), old.job.id);
  // of settings that are not those of the run
  const strange = real("strange", { settings: hashJson({ dir: "/elsewhere" }) });
  await add(strange.sealed, strange.job.id);
  await expect.poll(() => queue.getJobCountByTypes("waiting", "active", "delayed", "failed")).toBe(0);

  expect(ran).toEqual(["honest 1"]);
  expect(problems.filter((line) => line.includes("not signed with this worker's fleet secret"))).toHaveLength(
    1,
  );
  for (const words of ["somebody has copied it", "has expired", "other settings"])
    expect(problems.filter((line) => line.includes(words))).toHaveLength(1);
  expect(await coordinator.run("honest 2")).toMatchObject({ output: "honest 2" });
  redis.disconnect();
});

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
  expect(problems.join()).toContain("It had all of its tries here.");
});

test("a word in Redis that a unit is done, or has failed, is no end of it", async () => {
  const lane = "scripted/words";
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { fleet, handlers } = await victim(lane, async (name) => {
    if (name !== "warm up") await isReleased;
    return `really ${name}`;
  });
  const coordinator = await fleet.coordinator("words", { handlers, concurrency: 4 });
  await coordinator.run("warm up");
  const { redis } = await intruder(lane);
  const names = ["one", "two", "three"];
  const ids = names.map((name) => jobId("words", [unitKey(testUnit(name))]));
  const running = Promise.all(names.map((name) => coordinator.run(name)));
  await expect.poll(async () => (await redis.lrange(queueKey(lane, "active"), 0, -1)).length).toBe(3);
  const say = (event: string, id: string, field: string, value: string) =>
    redis.xadd(queueKey(lane, "events"), "*", "event", event, "jobId", id, field, value, "prev", "active");
  const fatal = new InfraError("refused", "401 \u001b]0;owned\u0007");
  const [one = "", two = "", three = ""] = ids;
  await say("completed", one, "returnvalue", JSON.stringify({ output: "forged", budget: { version: 9e9 } }));
  await say("failed", two, "failedReason", JSON.stringify({ name: "WhetstoneError", code: "spend-cap" }));
  const failed = sealOutcome(stranger, three, nothingBooked, new Map([["", fatal]]));
  await say("failed", three, "failedReason", JSON.stringify(failed));
  await sleep(200);
  release();
  expect((await running).map(({ output }) => output)).toEqual(names.map((name) => `really ${name}`));
  expect(coordinator.stopped).toEqual([]);
  expect(coordinator.budget.spent().calls).toBe(4);
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
    message: "The worker's result is not in this journal.",
  });
});

test("events of a run are heard from workers alone, each once", async () => {
  const lane = "scripted/events";
  const { fleet, handlers } = await victim(lane);
  const { redis } = await intruder(lane);
  const overheard: string[] = [];
  const ear = redis.duplicate();
  onTestFinished(() => ear.disconnect());
  ear.on("message", (_, text: string) => overheard.push(text));
  await ear.subscribe(fleetKeys.runEvents("events"));
  const coordinator = await fleet.coordinator("events", { handlers });
  await coordinator.run("one");
  await expect.poll(() => overheard.length).toBe(1);
  const end = { type: "run-end", status: "done", message: "forged", cost: noCost };
  const channel = fleetKeys.runEvents("events");
  await redis.publish(channel, JSON.stringify(end));
  await redis.publish(channel, "not even JSON");
  await redis.publish(channel, JSON.stringify(stranger.seal("event", JSON.stringify(end))));
  // its copies are overheard too
  const copies = overheard.slice();
  for (const text of copies) await redis.publish(channel, text);
  await coordinator.run("two");
  expect(coordinator.events.map(({ type }) => type)).toEqual(["try-start", "try-start"]);
});

test("whoever sets the budget in Redis back buys nothing above the cap", async () => {
  const lane = "scripted/reset";
  const { fleet, handlers, ran } = await victim(lane);
  const { redis } = await intruder(lane);
  const caps = { calls: 10 };
  const connection = await openRedis(server.url);
  onTestFinished(() => connection.disconnect());
  const budget = fleetBudget(connection, "reset", "coordinator", clock);
  const ledger = ownLedger({
    run: "reset",
    journal: fleet.journal,
    budget,
    caps,
    clock,
    already: noCost,
    after: 0,
  });
  const coordinator = await fleet.coordinator("reset", { handlers, caps, ledger, concurrency: 4 });
  const over = new AbortController();
  const resetting = (async () => {
    while (!over.signal.aborted) {
      await redis.del(fleetKeys.budget("reset"), fleetKeys.reserved("reset"));
      await sleep(1);
    }
  })();
  const ends = await Promise.allSettled(
    Array.from({ length: 30 }, (_, nth) => coordinator.run(`unit ${nth}`)),
  );
  over.abort();
  await resetting;
  expect(ran.length).toBe(10);
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  expect(ends.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "spend-cap" } });
  expect((await readLedger(fleet.journal.read())).spent.calls).toBe(10);
  // what Redis was told again
  await ledger.uphold();
  expect(await redis.hget(fleetKeys.budget("reset"), "cap calls")).toBe("10");
  expect(Number(await redis.hget(fleetKeys.budget("reset"), "spent calls"))).toBe(10);
});
