import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { afterAll, beforeAll, expect, test } from "vitest";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import { createHandlers } from "../../core/work/handlers.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { unitKey } from "../../core/work/unit.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { fleetForTest, testHandler, testUnit } from "../../../test/support/fleet-fixture.ts";
import { fleetKeys, prefix, queueName } from "../fleet/fleet-keys.ts";
import { openRedis } from "../fleet/open-redis.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `unit ${index}`);

test("units run on a worker and their results come back through the journal", async () => {
  await using fleet = await fleetForTest(server.url);
  const coordinator = await fleet.coordinator("a");
  await fleet.worker(testHandler(async (name) => `done ${name}`));
  const results = await Promise.all(names(30).map((name) => coordinator.run(name)));
  expect(results.map(({ output }) => output)).toEqual(names(30).map((name) => `done ${name}`));
  expect(results[0]).toMatchObject({ cost: { nanoUsd: 1, tokens: 1, calls: 1 }, tries: 1 });
  const ledger = await readLedger(fleet.journal.read({ run: "a" }));
  expect(ledger).toMatchObject({ results: 30, lost: 0, spent: { calls: 30 } });
  expect(coordinator.budget.spent()).toEqual(ledger.spent);
  expect(coordinator.events.filter(({ type }) => type === "try-start")).toHaveLength(30);
});

test("a finished job never swallows a later one with the same id", async () => {
  await using fleet = await fleetForTest(server.url);
  const coordinator = await fleet.coordinator("swallow");
  let tries = 0;
  await fleet.worker(
    testHandler(async () => {
      tries += 1;
      if (tries <= 3) throw new InfraError("transport", "reset");
      return "at last";
    }),
  );
  await expect(coordinator.run("one")).rejects.toMatchObject({ class: "transport", message: "reset" });
  expect(tries).toBe(3);
  expect(await coordinator.run("one")).toMatchObject({ output: "at last" });
  // with its result in the journal nobody is asked again
  expect(await coordinator.run("one")).toMatchObject({ output: "at last" });
  expect(tries).toBe(4);
  const connection = await openRedis(server.url);
  const queue = new Queue(queueName("scripted/target"), { connection, prefix });
  expect(await queue.getJobCounts("completed", "failed", "waiting", "active")).toEqual({
    completed: 0,
    failed: 0,
    waiting: 0,
    active: 0,
  });
  connection.disconnect();
});

test("what no retry can mend stops the run with the words of one process", async () => {
  await using fleet = await fleetForTest(server.url);
  const coordinator = await fleet.coordinator("refused");
  let tries = 0;
  await fleet.worker(
    testHandler(async () => {
      tries += 1;
      throw new InfraError("refused", "401 wrong key");
    }),
  );
  await expect(coordinator.run("one")).rejects.toMatchObject({ code: "provider-refused" });
  expect(tries).toBe(1);
  expect(coordinator.stopped[0]).toBeInstanceOf(WhetstoneError);
});

test("two runs that want the same unit each get it, and the second keeps what it relies on", async () => {
  await using fleet = await fleetForTest(server.url);
  const [first, second] = [await fleet.coordinator("first"), await fleet.coordinator("second")];
  await fleet.worker(testHandler(async (name) => name));
  await first.run("same");
  expect(await second.run("same")).toMatchObject({ output: "same" });
  const entries: string[] = [];
  for await (const { kind, key } of fleet.journal.read({ run: "second" })) entries.push(`${kind} ${key}`);
  expect(entries).toEqual([`use ${unitKey(testUnit("same"))}`]);
});

test("a stop takes back what no worker has begun and waits for the rest", async () => {
  await using fleet = await fleetForTest(server.url);
  const coordinator = await fleet.coordinator("stopped", { concurrency: 2 });
  const begun: string[] = [];
  await fleet.worker(
    testHandler(async (name) => {
      begun.push(name);
      await sleep(300);
      return name;
    }),
  );
  const results = Promise.allSettled(names(20).map((name) => coordinator.run(name)));
  while (begun.length < 2) await sleep(10);
  coordinator.stopping.abort(new WhetstoneError("interrupted", "Stopped."));
  const ended = await results;
  const done = ended.filter(({ status }) => status === "fulfilled");
  expect(done.length).toBe(begun.length);
  expect(begun.length).toBeLessThan(8);
  expect(ended.at(-1)).toMatchObject({ status: "rejected", reason: { code: "interrupted" } });
});

test("a queue that could not be opened is opened anew for the next unit", async () => {
  await using fleet = await fleetForTest(server.url);
  const handler = testHandler(async (name) => name, "scripted/odd");
  const coordinator = await fleet.coordinator("odd", { handlers: createHandlers([handler]) });
  await fleet.worker(handler);
  const redis = await openRedis(server.url);
  await redis.set(fleetKeys.lane("scripted/odd"), "not what is expected here");
  await expect(coordinator.run("first")).rejects.toThrow("WRONGTYPE");
  await redis.del(fleetKeys.lane("scripted/odd"));
  expect(await coordinator.run("second")).toMatchObject({ output: "second" });
  redis.disconnect();
});
