import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { type ScriptedServer, hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { compare } from "./compare.ts";
import { startWorker } from "../session/worker.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.end());

const world = hiddenRuleWorld({ seed: 6, rules: 6, noise: 0.3, passWith: 1, passWithout: 0.1 });
const tasks = world.splits({ train: 10, val: 20, test: 10 });
const skills = { skill: singleFileSkill(world.seedSkill(6)), baseline: singleFileSkill(world.seedSkill(1)) };

async function office() {
  const latency = { kind: "fixed", ms: 5 } as const;
  const server = await startScriptedServer({ seed: 6, world, latency });
  onTestFinished(() => server.close());
  const options = {
    ...skills,
    tasks,
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 2000 },
    journal: await tempDir(),
    trials: 2,
  } as const;
  return { server, options };
}

/** How far apart the halves of each pair arrived, and how many of the first forty calls were of one arm. */
function arrivals({ calls }: ScriptedServer) {
  // the first one is the preflight's
  const asked = calls.slice(1).map(({ request: { system, messages } }) => ({
    system: system ?? "",
    task: messages.at(-1)?.content ?? "",
  }));
  const byTask = Map.groupBy(asked.keys(), (at) => asked[at]?.task ?? "");
  const gaps = [...byTask.values()].flatMap((places) =>
    places.flatMap((at, nth) => (nth % 2 === 0 ? [(places[nth + 1] ?? Number.NaN) - at] : [])),
  );
  const sides = asked.map(({ system }) => system);
  const [one] = new Set(sides);
  return { gaps, ofOne: sides.slice(0, 40).filter((side) => side === one).length, calls: asked.length };
}

test("one call at a time: the arms of a pair arrive one right after the other, in either order", async () => {
  const { server, options } = await office();
  await compare({ ...options, concurrency: 1 });
  const { gaps, ofOne, calls } = arrivals(server);
  expect(calls).toBe(160);
  expect(gaps).toEqual(gaps.map(() => 1));
  expect(ofOne).toBe(20);
  const firsts = server.calls.slice(1).flatMap(({ request }, at) => (at % 2 === 0 ? [request.system] : []));
  expect(new Set(firsts).size).toBe(2);
});

test("eight at a time: no arm is ahead of the other by more than what is in flight", async () => {
  const { server, options } = await office();
  await compare({ ...options, concurrency: 8 });
  const { gaps, ofOne, calls } = arrivals(server);
  expect(calls).toBe(160);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(8);
  expect(Math.abs(ofOne - 20)).toBeLessThanOrEqual(4);
});

test("on a fleet too, with the verdict of one process", async () => {
  const { server, options } = await office();
  const here = await compare({ ...options, concurrency: 8 });
  const before = server.callCount;
  const worker = { redis: redis.url, concurrency: 8, allow: ["host=127.0.0.1"] };
  const workers = await Promise.all([1, 2].map(() => startWorker(worker)));
  onTestFinished(async () => {
    await Promise.all(workers.map((one) => one.drain()));
  });
  const journal = await tempDir();
  const there = await compare({ ...options, journal, concurrency: 8, executor: "bullmq", redis: redis.url });
  // how long a call takes is nobody's promise
  const timeless = ({ perRollout, ...summary }: typeof here.summary) => ({
    ...summary,
    perRollout: { ...perRollout, ms: undefined },
  });
  expect(timeless(there.summary)).toEqual(timeless(here.summary));
  const { gaps, calls } = arrivals({ ...server, calls: server.calls.slice(before) });
  expect(calls).toBe(160);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(8);
});
