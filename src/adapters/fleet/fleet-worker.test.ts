import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandlers } from "../../core/work/handlers.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { fleetForTest, testHandler } from "../../../test/support/fleet-fixture.ts";
import { fleetKeys } from "./fleet-keys.ts";
import { fleetMachines } from "../../../test/support/fleet-machines.ts";
import { poisonAfter } from "./fleet-worker.ts";
import { openRedis } from "./open-redis.ts";
import { readUnable } from "./unable-workers.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

test("the units of a killed worker are run by another, each with one result", async () => {
  await using fleet = await fleetForTest(server.url);
  await using machines = fleetMachines(fleet, server.url);
  const [first] = [await machines.start(3), await machines.start(3)];
  const coordinator = await fleet.coordinator("killed", { concurrency: 6 });
  const results = Promise.all(range(12).map((index) => coordinator.run(`sleep 400 ${index}`)));
  while (machines.begun(first).length < 2) await sleep(20);
  first.kill("SIGKILL");
  expect(await results).toHaveLength(12);
  const recorded = new Map<string, number>();
  for await (const { key } of fleet.journal.read({ run: "killed", kinds: ["result"] }))
    recorded.set(key, (recorded.get(key) ?? 0) + 1);
  expect([...recorded.values()]).toEqual(range(12).map(() => 1));
  // only what was in the dead worker's hands began twice
  const repeats = machines.log().filter((line) => line.includes(" begin ")).length - 12;
  expect(repeats).toBeLessThanOrEqual(3);
});

test("a unit that blocks the event loop for many times its lock is run once", async () => {
  await using fleet = await fleetForTest(server.url);
  await using machines = fleetMachines(fleet, server.url);
  await Promise.all([machines.start(2), machines.start(2)]);
  const coordinator = await fleet.coordinator("blocked");
  await coordinator.run("warm up");
  await coordinator.run("block 4000 once");
  expect(machines.log().filter((line) => line.includes("begin block"))).toHaveLength(1);
});

test("SIGTERM: a worker finishes what it has begun, takes nothing new, and leaves", async () => {
  await using fleet = await fleetForTest(server.url);
  await using machines = fleetMachines(fleet, server.url);
  const [first] = [await machines.start(2), await machines.start(2)];
  const coordinator = await fleet.coordinator("drained", { concurrency: 4 });
  const results = Promise.all(range(10).map((index) => coordinator.run(`sleep 300 ${index}`)));
  while (machines.begun(first).length < 2) await sleep(20);
  const exit = once(first, "exit");
  first.kill("SIGTERM");
  await exit;
  await results;
  const log = machines.log();
  expect(log.filter((line) => line.includes(" begin "))).toHaveLength(10);
  expect(log).toContain(`${first.pid} drained`);
});

test(`a unit that ended ${poisonAfter} workers is parked with its cause, and the rest goes on`, async () => {
  await using fleet = await fleetForTest(server.url);
  await using machines = fleetMachines(fleet, server.url);
  await machines.start(1);
  // whoever dies is started anew, as a supervisor would
  machines.restart(1);
  const coordinator = await fleet.coordinator("poison", { concurrency: 1 });
  await coordinator.run("warm up");
  const [poison, other] = await Promise.allSettled([coordinator.run("crash"), coordinator.run("echo")]);
  expect(poison).toMatchObject({ status: "rejected", reason: { class: "transport" } });
  expect(String((poison as PromiseRejectedResult).reason)).toMatch(/test [0-9a-f]{12} crashed 5 workers/);
  expect(other).toMatchObject({ status: "fulfilled" });
  expect(machines.log().filter((line) => line.includes("begin crash"))).toHaveLength(poisonAfter);
  // asked again in the same execution, it ends nobody
  await expect(coordinator.run("crash")).rejects.toMatchObject({ class: "transport" });
  expect(machines.log().filter((line) => line.includes("begin crash"))).toHaveLength(poisonAfter);
  const redis = await openRedis(server.url);
  expect(Object.values(await redis.hgetall(fleetKeys.parked)).join()).toContain("crashed 5 workers");
  redis.disconnect();
});

test("a worker fills its hands while its first unit still runs, up to what the unit allows", async () => {
  await using fleet = await fleetForTest(server.url);
  let inFlight = 0;
  let most = 0;
  let release = () => {};
  const othersAreDone = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handler = testHandler(async (name) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await (name === "first" ? othersAreDone : sleep(100));
    inFlight -= 1;
    return name;
  });
  await fleet.worker({ ...handler, parallel: () => 4 });
  const coordinator = await fleet.coordinator("wide", { concurrency: 8 });
  await coordinator.run("before the limit opens");
  const first = coordinator.run("first");
  const others = range(12).map((index) => coordinator.run(`wide ${index}`));
  await Promise.all(others);
  release();
  await first;
  expect(most).toBe(4);
});

test("a run that goes on after its worker had closed it is booked as before", async () => {
  await using fleet = await fleetForTest(server.url);
  const handler = testHandler(async (name) => name);
  let close = () => {};
  const isClosed = new Promise<void>((resolve) => {
    close = resolve;
  });
  await fleet.worker(handler, {
    openRun: async () => ({
      handlers: createHandlers([handler]),
      journal: fleet.journal,
      close: async () => close(),
    }),
  });
  const before = await fleet.coordinator("again");
  await Promise.all(range(5).map((index) => before.run(`before ${index}`)));
  await before.close();
  await isClosed;
  const after = await fleet.coordinator("again");
  await Promise.all(range(3).map((index) => after.run(`after ${index}`)));
  expect(after.budget.spent()).toEqual({ nanoUsd: 3, tokens: 3, calls: 3 });
});

test("a worker that lacks something leaves the unit to another, and fails nothing", async () => {
  await using fleet = await fleetForTest(server.url);
  const lacking = new WhetstoneError("agent-missing", 'No program "pi" is on PATH.', { hint: "Install it." });
  const problems: string[] = [];
  const handler = testHandler(async (name) => name, "pi/lacking");
  const ran = { able: 0, lacking: 0 };
  const count = (who: keyof typeof ran) => ({
    ...handler,
    run: (...given: Parameters<typeof handler.run>) => {
      ran[who] += 1;
      return handler.run(...given);
    },
  });
  await fleet.worker(handler, {
    openRun: async () => ({
      handlers: createHandlers([count("lacking")]),
      journal: fleet.journal,
      unable: () => lacking,
      close: async () => {},
    }),
    onProblem: (sentence) => problems.push(sentence),
  });
  const coordinator = await fleet.coordinator("lacking", {
    concurrency: 4,
    handlers: createHandlers([handler]),
  });
  const results = Promise.all(range(8).map((index) => coordinator.run(`unit ${index}`)));
  while (problems.length === 0) await sleep(20);
  await fleet.worker(count("able"));
  expect((await results).map(({ output }) => output)).toEqual(range(8).map((index) => `unit ${index}`));
  expect(ran).toEqual({ able: 8, lacking: 0 });
  expect(coordinator.stopped).toEqual([]);
  expect(problems).toEqual(['Leaving pi/lacking to other workers. No program "pi" is on PATH. Install it.']);
  expect(coordinator.events).toContainEqual(
    expect.objectContaining({ type: "lane-change", state: "open", message: 'No program "pi" is on PATH.' }),
  );
  const redis = await openRedis(server.url);
  expect(await readUnable(redis)).toEqual([expect.objectContaining({ run: "lacking", lane: "pi/lacking" })]);
  redis.disconnect();
  // nothing of what it gave back counts as begun
  expect((await readLedger(fleet.journal.read({ run: "lacking" }))).lost).toBe(0);
});

test("when no worker can do a unit the run stops with the reason and the way out", async () => {
  await using fleet = await fleetForTest(server.url);
  const differs = new WhetstoneError("config-invalid", "On a worker, pi is version 1; the run has 2.", {
    hint: "Install the same version there.",
  });
  const handler = testHandler(async (name) => name, "pi/nowhere");
  for (const _ of range(2)) {
    await fleet.worker(handler, { unableMs: 500, openRun: () => Promise.reject(differs) });
  }
  const coordinator = await fleet.coordinator("nowhere", { handlers: createHandlers([handler]) });
  await expect(coordinator.run("unit")).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringMatching(/^No worker can run pi\/nowhere; \S+ says: On a worker, pi is version 1/),
    hint: "Install the same version there; or start `whetstone worker` on a machine that has everything.",
  });
  expect(coordinator.stopped).toHaveLength(1);
});

test("what was missing is noticed once it is there", async () => {
  await using fleet = await fleetForTest(server.url);
  const handler = testHandler(async (name) => name, "pi/later");
  let opened = 0;
  await fleet.worker(handler, {
    openRun: async () => {
      opened += 1;
      if (opened === 1) throw new WhetstoneError("agent-missing", "Not there.");
      return { handlers: createHandlers([handler]), journal: fleet.journal, close: async () => {} };
    },
  });
  const coordinator = await fleet.coordinator("later", { handlers: createHandlers([handler]) });
  expect((await coordinator.run("unit")).output).toBe("unit");
  expect(coordinator.events).toContainEqual(
    expect.objectContaining({
      type: "lane-change",
      state: "closed",
      lane: expect.stringContaining("pi/later on "),
    }),
  );
  const redis = await openRedis(server.url);
  expect((await readUnable(redis)).filter(({ run }) => run === "later")).toEqual([]);
  redis.disconnect();
});

test("a worker that is told to leave while Redis is away does so", async () => {
  const away = await startRedis();
  const fleet = await fleetForTest(away.url);
  const worker = await fleet.worker(testHandler(async (name) => name));
  const coordinator = await fleet.coordinator("away");
  await coordinator.run("one");
  await away.stop("SIGKILL");
  await worker.drain();
  await away.start();
  await fleet[Symbol.asyncDispose]();
  await away.end();
});

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
