import { expect, test } from "vitest";
import { paperSettings } from "../../../test/support/scripted-run.ts";
import { hiddenRuleWorld } from "../../testing/hidden-rule-world.ts";
import type { Context } from "../context.ts";
import { trainSkill } from "../loop/train.ts";
import { guessedFinds } from "../prompts/prompt.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { chatEnvironment } from "../tasks/chat-environment.ts";
import type { Environment } from "../tasks/environment.ts";
import type { Task } from "../tasks/task.ts";
import { nothingMeasured } from "./measured-models.ts";
import { type RehearsalBasis, rehearse } from "./rehearse.ts";
import { simulatedTime } from "./simulated-time.ts";

const world = hiddenRuleWorld({ seed: 3, rules: 8 });
const splits = world.splits({ train: 24, val: 16, test: 12 });
const skill = world.seedSkill(2);
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const price = { input: 1, output: 4 };

const basis = (rest: Partial<RehearsalBasis> = {}): RehearsalBasis => ({
  near: new Set(),
  run: "0123",
  seed: "0123",
  settings: { ...paperSettings, batchSize: 12 },
  models: { target: "a/t", optimizer: "a/o", judge: "a/j", miner: "a/m" },
  environment: chatEnvironment,
  customScorers: new Map(),
  signal: new AbortController().signal,
  measured: nothingMeasured,
  skill,
  prices: { target: price, optimizer: price, judge: price, miner: price },
  concurrency: 8,
  isCapped: true,
  agentsAtATime: 2,
  finds: { ...guessedFinds, tasksPerConversation: 1 },
  good: [],
  turn,
  ...rest,
});

const train = (context: Context) => trainSkill({ skill: singleFileSkill(skill), splits }, context);

test("the same number is the same rehearsal, and another one goes another way", async () => {
  const [one, again, other] = [
    await rehearse(train, basis(), 1),
    await rehearse(train, basis(), 1),
    await rehearse(train, basis(), 2),
  ];
  expect(again).toEqual(one);
  expect(other.cost).not.toEqual(one.cost);
});

test("what is fixed about a run is rehearsed exactly, and some candidates are kept", async () => {
  let kept = 0;
  for (let nth = 0; nth < 6; nth += 1) {
    const { stages, steps, rollouts } = await rehearse(
      async (context) => {
        kept += (await train(context)).steps.filter(({ action }) => action.startsWith("accept")).length;
      },
      basis(),
      nth,
    );
    const calls = (stage: string) => stages.find((one) => one.stage === stage)?.cost.calls;
    // a search that solves everything ends before its last step
    expect([calls("baseline"), calls("rollout")]).toEqual([16, 12 * steps.length]);
    expect(rollouts).toBeGreaterThanOrEqual(16 + 12 * steps.length);
  }
  expect(kept).toBeGreaterThan(2);
});

test("a cap must let the worst case of the last call through, and grows with the steps", async () => {
  const { needed, cost, steps } = await rehearse(train, basis(), 1);
  expect(needed.nanoUsd).toBeGreaterThan(cost.nanoUsd);
  expect(needed.calls).toBe(cost.calls);
  expect(steps.map(({ calls }) => calls)).toEqual(steps.map(({ calls }) => calls).toSorted((a, b) => a - b));
});

test("a judge's questions are drawn with the rollouts that it would score", async () => {
  const rubric = (task: Task): Task => ({
    ...task,
    answers: undefined,
    checks: [{ kind: "rubric", value: "It names the shelf." }],
  });
  const judged = { train: splits.train.map(rubric), val: splits.val.map(rubric), test: [] };
  const { stages } = await rehearse(
    (context) => trainSkill({ skill: singleFileSkill(skill), splits: judged }, context),
    basis(),
    4,
  );
  const judge = stages.filter(({ role }) => role === "judge");
  expect(judge.map(({ stage }) => stage)).toEqual(
    expect.arrayContaining(["baseline", "rollout", "evaluate"]),
  );
});

test("results of the journal cost nothing, and the project's own code is not run for its effects", async () => {
  const baseline: string[] = [];
  await rehearse(
    async (context) => {
      await train({
        ...context,
        executor: {
          execute(dispatch) {
            if (dispatch.place.stage === "baseline") baseline.push(dispatch.key);
            return context.executor.execute(dispatch);
          },
        },
      });
    },
    // what is in the journal is asked for by its key
    basis({
      known: { keys: new Set(["another"]), journal: { get: async () => undefined, async *read() {} } },
    }),
    1,
  );
  const run = { text: "x", finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } };
  const known = {
    keys: new Set(baseline),
    journal: {
      get: async (key: string) => ({
        seq: 1,
        kind: "result" as const,
        run: "other",
        key,
        name: "",
        body: { output: run, cost: { nanoUsd: 1, tokens: 1, calls: 1 } },
      }),
      async *read() {},
    },
  };
  const again = await rehearse(train, basis({ known }), 1);
  expect(baseline).toHaveLength(16);
  expect(again.stages.find(({ stage }) => stage === "baseline")?.cost.calls ?? 0).toBe(0);

  const strange: Environment = {
    ...chatEnvironment,
    setup: () => Promise.reject(new Error("set up")),
    run: async (task, own, context) => {
      const { text } = await context.model.generate({ messages: [{ role: "user", content: task.input }] });
      return { ...JSON.parse(text), skill: own };
    },
  };
  const odd = await rehearse(train, basis({ environment: strange }), 1);
  expect(odd.cost.calls).toBeGreaterThan(50);
});

test("time jumps, and a lane holds no more calls than it may", async () => {
  const time = simulatedTime(turn);
  const calls = (lane: string, count: number, concurrency: number) =>
    Promise.all(Array.from({ length: count }, () => time.occupy(lane, concurrency, 100)));
  await time.drive(() => Promise.all([calls("a", 9, 4), calls("b", 3, 2)]));
  // one call alone, then four at a time
  expect(time.now()).toBe(300);
});
