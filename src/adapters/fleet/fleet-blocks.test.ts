import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { afterAll, beforeAll, expect, test } from "vitest";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import { createHandlers } from "../../core/work/handlers.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { type CoordinatorForTest, fleetForTest, testHandler } from "../../../test/support/fleet-fixture.ts";
import { fleetKeys, prefix, queueName } from "./fleet-keys.ts";
import { fleetMachines } from "../../../test/support/fleet-machines.ts";
import { openRedis } from "./open-redis.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.end());

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Both halves of a pair, as a claim dispatches them. */
const runPair = (coordinator: CoordinatorForTest, first: string, second: string) =>
  Promise.allSettled(
    [first, second].map((name) => coordinator.run(name, { block: `${first} and ${second}` })),
  );

const runPairs = (coordinator: CoordinatorForTest, word: string, count: number) =>
  Promise.all(range(count).map((nth) => runPair(coordinator, `${word} a${nth}`, `${word} b${nth}`)));

const outputsOf = (ends: readonly PromiseSettledResult<{ readonly output: unknown }>[]) =>
  ends.map((end) => (end.status === "fulfilled" ? end.value.output : end.reason));

async function withQueue<T>(lane: string, use: (queue: Queue) => Promise<T>): Promise<T> {
  const connection = await openRedis(server.url);
  const queue = new Queue(queueName(lane), { connection, prefix });
  try {
    return await use(queue);
  } finally {
    connection.disconnect();
  }
}

/** A lane of its own, whose limit nobody has found yet. */
function ownLane(lane: string, run: (name: string) => Promise<string>) {
  const handler = testHandler(run, lane);
  return { handler, handlers: createHandlers([handler]) };
}

/** Who is in flight over all workers of this process, and what began in which order. */
function meteredLane(lane: string, run: (name: string) => Promise<unknown>) {
  const seen = { most: 0, begun: [] as string[] };
  let inFlight = 0;
  const own = ownLane(lane, async (name) => {
    inFlight += 1;
    seen.most = Math.max(seen.most, inFlight);
    seen.begun.push(name);
    try {
      await run(name);
    } finally {
      inFlight -= 1;
    }
    return name;
  });
  return { ...own, seen };
}

test("a pair is one job, which one worker runs; what has no partner is a job by itself", async () => {
  await using fleet = await fleetForTest(server.url);
  const lane = "scripted/pairs";
  const { handlers } = ownLane(lane, async () => "");
  const coordinator = await fleet.coordinator("pairs", { handlers, concurrency: 40 });
  const pairs = runPairs(coordinator, "pair", 20);
  const alone = [coordinator.run("lone half", { block: "lone" }), coordinator.run("no block")];
  await withQueue(lane, async (queue) => {
    await expect.poll(() => queue.getWaitingCount()).toBe(22);
    const jobs = await queue.getWaiting();
    expect(jobs.filter(({ data }) => JSON.parse(data.text).units.length === 2)).toHaveLength(20);
  });
  const at = new Set<string>();
  let begun = 0;
  for (const worker of ["first", "second"]) {
    const handler = testHandler(async () => {
      at.add(worker);
      begun += 1;
      // the first call is alone until the limit is known; the others wait until both workers have some
      if (begun > 1) while (at.size < 2) await sleep(5);
      return worker;
    }, lane);
    await fleet.worker(handler, { concurrency: 4 });
  }
  const ran = (await pairs).map(outputsOf);
  await Promise.all(alone);
  expect(ran.every(([one, other]) => one === other)).toBe(true);
  expect(new Set(ran.flat())).toEqual(new Set(["first", "second"]));
  const ledger = await readLedger(fleet.journal.read({ run: "pairs" }));
  expect(ledger).toMatchObject({ results: 42, lost: 0, spent: { calls: 42 } });
  expect(coordinator.budget.spent()).toEqual(ledger.spent);
});

test("both halves are in flight together, and take two places of the limit", async () => {
  await using fleet = await fleetForTest(server.url);
  const ends = new Map<string, () => void>();
  // no half ends before its partner has begun, but for the first one, which is alone until the limit is known
  const meet = (name: string) => {
    const [, side = "", nth] = /^together ([ab])(\d+)$/.exec(name) ?? [];
    if (side === "") return sleep(20);
    const partner = `together ${side === "a" ? "b" : "a"}${nth}`;
    ends.get(partner)?.();
    if (ends.has(partner)) return sleep(20);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const { handler, handlers, seen } = meteredLane("scripted/together", meet);
  for (const _ of range(3)) await fleet.worker(handler, { concurrency: 10 });
  const coordinator = await fleet.coordinator("together", { handlers, concurrency: 7 });
  await coordinator.run("warm up");
  const pairs = runPairs(coordinator, "together", 40);
  const singles = range(30).map((nth) => coordinator.run(`single ${nth}`));
  await Promise.all([pairs, ...singles]);
  expect(seen.begun).toHaveLength(111);
  // on a busy machine a place can stay empty between two units
  expect([6, 7]).toContain(seen.most);
  const redis = await openRedis(server.url);
  expect(await redis.hgetall(fleetKeys.wide("scripted/together"))).toEqual({
    allowed: "7",
    extra: "0",
    granted: "0",
    waiting: "0",
  });
  redis.disconnect();
});

test("a machine holds no more halves than units", async () => {
  await using fleet = await fleetForTest(server.url);
  const { handler, handlers, seen } = meteredLane("scripted/machine", () => sleep(20));
  await fleet.worker({ ...handler, parallel: () => 3 });
  const coordinator = await fleet.coordinator("machine", { handlers, concurrency: 20 });
  await Promise.all([
    runPairs(coordinator, "machine", 10),
    ...range(10).map((nth) => coordinator.run(`${nth}`)),
  ]);
  expect(seen).toMatchObject({ most: 3, begun: expect.objectContaining({ length: 30 }) });
});

test("with one place the halves follow each other, and a failure of one does not keep the other back", async () => {
  await using fleet = await fleetForTest(server.url);
  const { handler, handlers, seen } = meteredLane("scripted/narrow", async (name) => {
    if (name === "bad") throw new InfraError("transport", "reset");
  });
  for (const _ of range(2)) await fleet.worker(handler);
  const coordinator = await fleet.coordinator("narrow", { handlers, concurrency: 1 });
  await runPairs(coordinator, "narrow", 10);
  const halves = seen.begun.map((name) => name.slice("narrow a".length));
  expect(seen.most).toBe(1);
  expect(range(10).every((nth) => halves[2 * nth] === halves[2 * nth + 1])).toBe(true);
  const [bad, good] = await runPair(coordinator, "bad", "good");
  expect(bad).toMatchObject({ status: "rejected", reason: { class: "transport", message: "reset" } });
  expect(good).toMatchObject({ status: "fulfilled", value: { output: "good" } });
  expect(seen.begun.filter((name) => name === "good")).toHaveLength(1);
});

test("a failed half is tried again alone, and its end is not its partner's", async () => {
  await using fleet = await fleetForTest(server.url);
  const { handler, handlers, seen } = meteredLane("scripted/half", async (name) => {
    if (name === "bad" || (name === "late" && seen.begun.filter((each) => each === "late").length < 3))
      throw new InfraError("transport", `${name} failed`);
    if (name === "refused") throw new InfraError("refused", "401");
  });
  await fleet.worker(handler);
  const coordinator = await fleet.coordinator("half", { handlers });
  await coordinator.run("warm up");
  expect(await runPair(coordinator, "good", "bad")).toMatchObject([
    { value: { output: "good", tries: 1 } },
    { reason: { class: "transport", message: "bad failed" } },
  ]);
  expect(await runPair(coordinator, "late", "early")).toMatchObject([
    { value: { output: "late", tries: 3 } },
    { value: { output: "early", tries: 1 } },
  ]);
  expect(coordinator.stopped).toEqual([]);
  expect(await runPair(coordinator, "fine", "refused")).toMatchObject([
    { value: { output: "fine" } },
    { reason: { code: "provider-refused" } },
  ]);
  expect(coordinator.stopped).toHaveLength(1);
  const count = (name: string) => seen.begun.filter((each) => each === name).length;
  expect(["good", "bad", "late", "early", "fine", "refused"].map(count)).toEqual([1, 3, 3, 1, 1, 1]);
});

test("a worker that is killed loses the calls in its hands: both halves of its pairs end with one result", async () => {
  await using fleet = await fleetForTest(server.url);
  await using machines = fleetMachines(fleet, server.url);
  const [first] = [await machines.start(4), await machines.start(4)];
  const coordinator = await fleet.coordinator("killed pairs", { concurrency: 8 });
  const pairs = runPairs(coordinator, "sleep 400", 8);
  while (machines.begun(first).length < 4) await sleep(20);
  const before = new Set(machines.begun(first).map((line) => line.replace(/^\d+ begin /, "")));
  first.kill("SIGKILL");
  const ended = (await pairs).map(outputsOf);
  expect(ended.flat().every((output) => typeof output === "string")).toBe(true);
  const begun = machines.log().flatMap((line) => / begin (.*)$/.exec(line)?.[1] ?? []);
  const repeated = begun.filter((name, index) => begun.indexOf(name) !== index);
  expect(repeated.filter((name) => !before.has(name))).toEqual([]);
  expect(repeated.length).toBeLessThanOrEqual(4);
  const ledger = await readLedger(fleet.journal.read({ run: "killed pairs" }));
  expect(ledger.results).toBe(16);
});

test("of a pair that ends workers only the half that does it is parked", async () => {
  await using fleet = await fleetForTest(server.url);
  await using machines = fleetMachines(fleet, server.url);
  await machines.start(2);
  machines.restart(2);
  const coordinator = await fleet.coordinator("poisoned pair", { concurrency: 2 });
  await coordinator.run("warm up");
  const [poison, other] = await runPair(coordinator, "crash", "sleep 100 beside it");
  expect(poison).toMatchObject({ status: "rejected", reason: { class: "transport" } });
  expect(String((poison as PromiseRejectedResult).reason)).toContain("crashed 5 workers");
  expect(other?.status).toBe("fulfilled");
});

test("a pair that an earlier process sent is waited for, also for one half alone", async () => {
  await using fleet = await fleetForTest(server.url);
  const lane = "scripted/earlier";
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { handler, handlers, seen } = meteredLane(lane, async (name) => {
    if (name === "two") await isReleased;
  });
  await fleet.worker(handler);
  const before = await fleet.coordinator("earlier", { handlers });
  void runPair(before, "one", "two");
  // until the limit is known there is one place: the second has begun when the first has ended
  while (seen.begun.length < 2) await sleep(10);
  const after = await fleet.coordinator("earlier", { handlers });
  const half = after.run("two", { block: "one and two" });
  // there are places for it
  await after.run("something else");
  await sleep(100);
  release();
  expect(await half).toMatchObject({ output: "two" });
  expect(seen.begun.toSorted()).toEqual(["one", "something else", "two"]);
});

test("a stop and a pair that nobody wants leave nothing behind", async () => {
  await using fleet = await fleetForTest(server.url);
  const lane = "scripted/back";
  const { handlers } = ownLane(lane, async (name) => name);
  const coordinator = await fleet.coordinator("back", { handlers });
  const sent = runPairs(coordinator, "sent", 3);
  await withQueue(lane, (queue) => expect.poll(() => queue.getWaitingCount()).toBe(3));
  const gathering = runPairs(coordinator, "gathering", 2);
  coordinator.stopping.abort(new WhetstoneError("interrupted", "Stopped."));
  const ends = [...(await sent), ...(await gathering)].flat();
  expect(ends).toHaveLength(10);
  for (const end of ends) expect(end).toMatchObject({ status: "rejected", reason: { code: "interrupted" } });
  await withQueue(lane, async (queue) => expect(await queue.getWaitingCount()).toBe(0));
});
