import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Model } from "../../core/ports/model.ts";
import { evaluate } from "./evaluate.ts";
import {
  officeTasks as tasks,
  officeWorld as world,
  openOffice,
} from "../../../test/support/office-config.ts";
import { train } from "./train.ts";

async function office() {
  const { server, options } = await openOffice();
  return { server, options: { ...options, journal: await tempDir() } };
}

test("a skill is measured on one split, and a second look costs nothing", async () => {
  const { server, options } = await office();
  const guesses: string[] = [];
  const first = await evaluate({ ...options, onGuess: (guess) => guesses.push(guess) });
  expect(first.summary).toMatchObject({
    split: "val",
    tasks: 10,
    pending: 0,
    hard: world.trueScore(world.seedSkill(2), tasks.val),
  });
  expect(guesses).toEqual([expect.stringContaining("office/target is free")]);
  const calls = server.callCount;
  expect(calls).toBe(11);
  const results = JSON.parse(await readFile(join(first.folder, "val_eval/results.json"), "utf8"));
  expect(results.results).toHaveLength(10);

  const second = await evaluate({ ...options, optimizer: "office/optimizer-2", epochs: 9 });
  expect(second).toMatchObject({ finishedBefore: false, summary: { hard: first.summary.hard } });
  const again = await evaluate(options);
  expect(again).toMatchObject({ id: first.id, finishedBefore: true });
  expect(server.callCount).toBe(calls);
  expect((await evaluate({ ...options, on: "test" })).summary.tasks).toBe(6);
});

test("a model object of one's own is free unless it has a price, and hints to a program name options", async () => {
  const { options } = await office();
  const target: Model = {
    id: "mine/echo",
    generate: async () => ({ text: "no", finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } }),
  };
  const guesses: string[] = [];
  const call = { ...options, target, spend: { calls: 2000 } };
  const { spent } = await evaluate({ ...call, onGuess: (guess) => guesses.push(guess) });
  expect([spent.nanoUsd, spent.calls > 0]).toEqual([0, true]);
  expect(guesses.join()).toContain(
    'your own object; set `prices: { "mine/echo": { input: <in>, output: <out> } }`',
  );
  const priced = { "mine/echo": { input: 1, output: 1 } };
  const paid = await evaluate({ ...call, target: { ...target }, prices: priced, fresh: "paid" });
  expect(paid.spent.nanoUsd).toBeGreaterThan(0);
  const providers = { mine: { baseURL: "http://10.9.8.7/v1" } };
  for (const unpriced of [{ target }, { target: "mine/unknown", providers }])
    await expect(evaluate({ ...options, ...unpriced, spend: { usd: 1 } })).rejects.toMatchObject({
      code: "price-unknown",
      hint: expect.stringContaining("`spend: { calls: 2000 }`"),
    });
});

test("an empty split cannot be measured", async () => {
  const { options } = await office();
  const { train: one, val } = tasks;
  await expect(evaluate({ ...options, tasks: { train: one, val }, on: "test" })).rejects.toThrow(
    "The test split has no tasks.",
  );
});

test("train gives the verdict, the best text and events, and says when it had finished before", async () => {
  const { server, options } = await office();
  const types = new Set<string>();
  const run = await train({ ...options, onEvent: ({ type }) => types.add(type) });
  expect(run.best.text).toBe(run.best.skill.files["SKILL.md"]);
  expect(run.verdict === "unchanged").toBe(run.best.step === 0);
  expect([...types]).toEqual(expect.arrayContaining(["run-start", "step-end", "run-end"]));
  const calls = server.callCount;
  const again = await train(options);
  expect(again).toMatchObject({ id: run.id, finishedBefore: true, summary: run.summary });
  expect(server.callCount).toBe(calls);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1.5])(
  "an environment that scores %d is refused in words",
  async (hard) => {
    const { options } = await office();
    const environment = async () =>
      ({ kind: "scored", hard, soft: 0, feedback: "", conversation: [] }) as const;
    await expect(evaluate({ ...options, environment })).rejects.toMatchObject({
      code: "tasks-invalid",
      message: expect.stringContaining(`the environment gave hard ${hard} and soft 0`),
    });
  },
);

test("an environment whose result nobody could read later is refused by name, and goes on once it is corrected", async () => {
  const { options } = await office();
  const outcome = { kind: "scored", hard: 1, soft: 1, feedback: "" } as const;
  const run = (conversation?: never[]) =>
    evaluate({ ...options, environment: async () => ({ ...outcome, conversation }) as never });
  await expect(run()).rejects.toMatchObject({
    code: "reply-invalid",
    message: expect.stringMatching(/^The environment .* returned "conversation" as undefined; it must be/),
  });
  expect((await run([])).summary).toMatchObject({ hard: 1 });
});
