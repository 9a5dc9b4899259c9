import { perform } from "./perform.ts";
import { controlAnswers } from "../../core/judge/controls.ts";
import { expect, onTestFinished, test } from "vitest";
import { scriptedRun } from "../../../test/support/scripted-run.ts";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { TrainSettings } from "../../core/settings.ts";
import { agentEnvironment } from "../../core/tasks/agent-environment.ts";
import { chatEnvironment } from "../../core/tasks/chat-environment.ts";
import type { Task } from "../../core/tasks/task.ts";
import { type ChatWorld, hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { planVerb } from "./plan.ts";
import { trainVerb } from "./train.ts";

const world = hiddenRuleWorld({ seed: 5, rules: 8 });

async function office(settings: Partial<TrainSettings> = {}, rest: Partial<Resolved> = {}) {
  const server = await startScriptedServer({ seed: 5, world, record: false });
  onTestFinished(() => server.close());
  const splits = world.splits({ train: 24, val: 20, test: 16 });
  const resolved = scriptedRun({
    url: server.url,
    skill: world.seedSkill(2),
    splits,
    settings: { gate: "rules", epochs: 2, batchSize: 12, ...settings },
    rest,
  });
  return { server, resolved };
}

test("a plan makes no call, and what the run then costs lies in its range", async () => {
  const { server, resolved } = await office();
  const journal = await memoryJournal();
  const earlier = { ...resolved, settings: { ...resolved.settings, fresh: "earlier", epochs: 1 } };
  const guess = await planVerb(trainVerb(resolved));
  expect(server.callCount).toBe(0);
  expect(guess.measuredReplies).toEqual({ target: 0, optimizer: 0, judge: 0, miner: 0 });

  await perform(trainVerb(earlier), { journal, artifacts: false });
  const before = server.callCount;
  const plan = await planVerb(trainVerb(resolved), journal);
  expect(server.callCount).toBe(before);
  expect(plan.measuredReplies.target).toBeGreaterThan(50);
  expect(plan.price.high / plan.price.low).toBeLessThanOrEqual(3);

  const { spent } = await perform(trainVerb(resolved), { journal: await memoryJournal(), artifacts: false });
  expect(spent.nanoUsd).toBeGreaterThanOrEqual(plan.price.low);
  expect(spent.nanoUsd).toBeLessThanOrEqual(plan.price.high);
  expect(spent.calls).toBeGreaterThanOrEqual(plan.calls.low);
  expect(spent.calls).toBeLessThanOrEqual(plan.calls.high);
  expect(plan.steps).toEqual({ planned: 4, affordable: null });
});

test("a cap that cannot finish one step is refused before the first call, and so is the run", async () => {
  const caps = [{ calls: 30 }, { tokens: 5000 }, { usd: 0.02 }];
  for (const spend of caps) {
    const { server, resolved } = await office({}, { spend });
    const { refusal, steps } = await planVerb(trainVerb(resolved));
    expect(refusal).toMatchObject({ code: "spend-too-small", exitCode: 2 });
    expect(steps.affordable?.low).toBe(0);
    await expect(
      perform(trainVerb(resolved), { journal: await memoryJournal(), artifacts: false }),
    ).rejects.toMatchObject({
      code: "spend-too-small",
    });
    expect(server.callCount).toBe(0);
  }
});

test("a cap for some of the steps says for how many", async () => {
  const { resolved } = await office({ epochs: 4 }, { spend: { calls: 180 } });
  const { refusal, steps } = await planVerb(trainVerb(resolved));
  expect(refusal).toBeUndefined();
  expect(steps.planned).toBe(8);
  expect(steps.affordable?.low).toBeGreaterThan(0);
  expect(steps.affordable?.high).toBeLessThan(8);
});

test("what the journal holds already needs no cap", async () => {
  const { server, resolved } = await office();
  const journal = await memoryJournal();
  await perform(trainVerb(resolved), { journal, artifacts: false });
  const calls = server.callCount;
  const longer = { ...resolved, settings: { ...resolved.settings, regressions: "report" as const } };
  await perform(trainVerb({ ...longer, spend: { calls: 1 } }), { journal, artifacts: false });
  expect(server.callCount).toBe(calls);
});

test("an unknown price is named and counts as free", async () => {
  const { resolved } = await office({}, { prices: {} });
  const { price, unpriced } = await planVerb(trainVerb(resolved));
  expect(price).toMatchObject({ low: 0, high: 0 });
  expect(unpriced).toEqual(["scripted/target-1", "scripted/optimizer-1"]);
});

/** A target that knows every second price and words it by its skill, an optimizer with one idea, and a judge that knows the right answer. */
const clerk: ChatWorld = {
  reply({ system, messages }) {
    const text = messages.at(-1)?.content ?? "";
    const number = /item (\d+)/.exec(text)?.[1] ?? "";
    if (system.includes('"edits"'))
      return { text: '{ "edits": [{ "op": "append", "content": "Look the price up." }] }' };
    if (!system.includes("You grade") && !system.includes("Two AI agents"))
      return { text: Number(number) % 2 === 0 ? `Costs ${number}.` : `No idea (${system.length}).` };
    const [first, second] = [...text.matchAll(/BEGIN [\w ]*answer (\w+)\n([\s\S]*?)\nEND/g)].map(
      ([, , answer = ""]) => answer === `Costs ${number}.` || controlAnswers.includes(answer),
    );
    if (system.includes("Two AI agents"))
      return {
        text: JSON.stringify({
          reason: "It names the price that was asked for.",
          better: first === second ? "tie" : first ? "first" : "second",
        }),
      };
    return {
      text: JSON.stringify({
        reason: "It is the price that was asked for, and no other.",
        score: first ? 1 : 0,
      }),
    };
  },
};

const priced = (from: number, count: number): Task[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `t${from + at}`,
    input: `What does item ${from + at} cost?`,
    reference: `Costs ${from + at}.`,
    checks: [
      { kind: "rubric", value: "Names the price." },
      { kind: "rubric", value: "Names no other price." },
    ],
  }));

test("the judge's calls are counted and priced as its own role", async () => {
  const server = await startScriptedServer({ seed: 1, world: clerk, record: false });
  onTestFinished(() => server.close());
  const resolved = scriptedRun({
    url: server.url,
    skill: world.seedSkill(1),
    splits: { train: priced(100, 6), val: priced(200, 6), test: [] },
    settings: { gate: "strict", epochs: 1, batchSize: 6, baselines: false },
  });
  const plan = await planVerb(trainVerb(resolved));
  const journal = await memoryJournal();
  const { spent, summary } = await perform(trainVerb(resolved), { journal, artifacts: false });
  const judge = plan.price.byRole.judge;
  const paid = summary.cost.judge?.nanoUsd ?? 0;
  expect(paid).toBeGreaterThanOrEqual(judge.low);
  expect(paid).toBeLessThanOrEqual(judge.high);
  expect(spent.calls).toBeGreaterThanOrEqual(plan.calls.low);
  expect(spent.calls).toBeLessThanOrEqual(plan.calls.high);
  expect((await planVerb(trainVerb(resolved), journal)).measuredReplies.judge).toBeGreaterThan(10);
});

test("an agent's rollouts are many calls each, and a guess until some are measured", async () => {
  const { resolved } = await office({}, { isAgent: true, environment: agentEnvironment() });
  const chat = await planVerb(trainVerb({ ...resolved, isAgent: false, environment: chatEnvironment }));
  const { calls, rollout, time, guessed } = await planVerb(trainVerb(resolved));
  expect(rollout).toMatchObject({ calls: { low: 3, high: 14 }, tokens: { low: 17_430, high: 99_600 } });
  expect(guessed.lengths).toContain("scripted/target-1");
  // minutes, not seconds
  expect(time.low).toBeGreaterThan(10 * chat.time.low);
  expect(chat.rollout).toBeUndefined();
  expect(calls.high).toBeGreaterThan(5 * chat.calls.high);
});
