import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisServer, startRedis } from "../../testing/start-redis.ts";
import { type FleetForTest, fleetForTest, testHandler } from "./fleet-for-test.ts";
import { fleetKeys } from "./fleet-keys.ts";
import { poisonAfter } from "./fleet-worker.ts";
import { openRedis } from "./open-redis.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

test("the units of a killed worker are run by another within seconds, each with one result", async () => {
  await using fleet = await fleetForTest(server.url);
  await using machines = fleetMachines(fleet);
  const [first] = [await machines.start(3), await machines.start(3)];
  const coordinator = await fleet.coordinator("killed", { concurrency: 6 });
  const results = Promise.all(range(12).map((index) => coordinator.run(`sleep 400 ${index}`)));
  while (machines.begun(first).length < 2) await sleep(20);
  const killedAt = Date.now();
  first.kill("SIGKILL");
  expect(await results).toHaveLength(12);
  expect(Date.now() - killedAt).toBeLessThan(8000);
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
  await using machines = fleetMachines(fleet);
  await Promise.all([machines.start(2), machines.start(2)]);
  const coordinator = await fleet.coordinator("blocked");
  await coordinator.run("warm up");
  await coordinator.run("block 4000 once");
  expect(machines.log().filter((line) => line.includes("begin block"))).toHaveLength(1);
});

test("SIGTERM: a worker finishes what it has begun, takes nothing new, and leaves", async () => {
  await using fleet = await fleetForTest(server.url);
  await using machines = fleetMachines(fleet);
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
  await using machines = fleetMachines(fleet);
  await machines.start(1);
  // whoever dies is started anew, as a supervisor would
  machines.restart(1);
  const coordinator = await fleet.coordinator("poison", { concurrency: 1 });
  await coordinator.run("warm up");
  const [poison, other] = await Promise.allSettled([coordinator.run("crash"), coordinator.run("echo")]);
  expect(poison).toMatchObject({ status: "rejected", reason: { class: "transport" } });
  expect(String((poison as PromiseRejectedResult).reason)).toMatch(/test [0-9a-f]{12} ended 5 workers/);
  expect(other).toMatchObject({ status: "fulfilled" });
  expect(machines.log().filter((line) => line.includes("begin crash"))).toHaveLength(poisonAfter);
  // asked again in the same execution, it ends nobody
  await expect(coordinator.run("crash")).rejects.toMatchObject({ class: "transport" });
  expect(machines.log().filter((line) => line.includes("begin crash"))).toHaveLength(poisonAfter);
  const redis = await openRedis(server.url);
  expect(Object.values(await redis.hgetall(fleetKeys.parked)).join()).toContain("ended 5 workers");
  redis.disconnect();
}, 60_000);

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

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Worker processes around a folder. */
function fleetMachines({ dir }: FleetForTest) {
  const children: ChildProcess[] = [];
  const path = join(dir, "log");
  const log = (): string[] => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
  let isOver = false;
  const launch = (concurrency: number): ChildProcess => {
    const script = fileURLToPath(new URL("./process-for-test.ts", import.meta.url));
    const child = spawn(process.execPath, [script, server.url, dir, String(concurrency)], {
      stdio: "inherit",
    });
    children.push(child);
    return child;
  };
  const supervise = (child: ChildProcess, concurrency: number): void => {
    child.once("exit", () => {
      if (!isOver) supervise(launch(concurrency), concurrency);
    });
  };
  return {
    log,
    begun: ({ pid }: ChildProcess) => log().filter((line) => line.startsWith(`${pid} begin`)),
    async start(concurrency: number): Promise<ChildProcess> {
      const child = launch(concurrency);
      while (!log().includes(`${child.pid} ready`)) {
        if (child.exitCode !== null) throw new Error(`The worker ended with ${child.exitCode}.`);
        await sleep(20);
      }
      return child;
    },
    restart(concurrency: number) {
      for (const child of children) supervise(child, concurrency);
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exit = once(child, "exit");
        child.kill("SIGKILL");
        await exit;
      }
    },
  };
}
