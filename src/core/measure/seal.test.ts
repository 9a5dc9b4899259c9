import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import type { Context } from "../context.ts";
import { firstBar, payOf } from "../gate/claim/account.ts";
import { relatedJudgeSentence } from "../judge/judge-family.ts";
import { type Skill, singleFileSkill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { planSealed, seal, sealedSentence } from "./seal.ts";

const tasks = (count: number, from = 0): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `t${from + at}`,
    input: `question ${from + at}`,
    answers: ["right"],
  }));
const good = singleFileSkill("good");
const bad = singleFileSkill("bad");
const sealAgainst = (best: Skill, list: readonly Task[], context: Context) =>
  seal({ original: bad, best, test: list }, context);
const open = (settings = {}) =>
  scriptedContext((request) => (request.system?.startsWith("good") === true ? "right" : "wrong"), settings);

test("a better skill is claimed with its figures, and the read is counted once", async () => {
  const context = await open({ claimTrials: 5 });
  const test20 = tasks(20);
  const sealed = await sealAgainst(good, test20, context);
  expect(sealed).toMatchObject({
    kind: "claimed",
    read: 1,
    // the target only repeats itself: the other three trials were not bought
    trials: 2,
    claim: { verdict: "better", wins: 20, steady: true },
  });
  expect(context.requests).toHaveLength(80);
  expect(sealedSentence(sealed)).toMatch(
    /^Better: \+100\.0 points .*one time in .*no repeats were run: 20 of 20 tasks changed\. The first text compared on these tasks in this journal\.$/,
  );
  expect(await sealAgainst(good, test20, context)).toMatchObject({ read: 1 });
});

test("both arms of a pair run next to each other, in an order that is drawn", async () => {
  const context = await open({ claimTrials: 1 });
  await sealAgainst(good, tasks(40), context);
  const asked = context.requests.map(({ system, messages }) => `${system} ${messages[0]?.content}`);
  let firsts = 0;
  for (let at = 0; at < asked.length; at += 2) {
    const [one = "", other = ""] = [asked[at], asked[at + 1]];
    expect([one.split(" ").slice(1), one === other]).toEqual([other.split(" ").slice(1), false]);
    if (one.startsWith("good")) firsts += 1;
  }
  expect(firsts).toBeGreaterThan(8);
  expect(firsts).toBeLessThan(32);
});

test("questions are counted by task: a new text on some of the tasks has a lower bar for better, on others not", async () => {
  const context = await open({ claimTrials: 1 });
  await sealAgainst(good, tasks(20), context);
  const other = singleFileSkill("good, otherwise");
  const second = await sealAgainst(other, tasks(20, 10), context);
  // ten tasks pay for a second question, and ten for a first one
  const alpha = firstBar(0.05, (payOf(0.4) + payOf(1)) / 2);
  expect(second).toMatchObject({ kind: "claimed", read: 2, asked: { fresh: 10 } });
  if (second.kind !== "claimed") return;
  expect(second.claim.alpha).toBeCloseTo(alpha, 12);
  expect(second.claim.alphaWorse).toBeCloseTo(firstBar(0.05), 12);
  expect(await sealAgainst(other, tasks(20, 100), context)).toMatchObject({ kind: "claimed", read: 1 });
});

test("a claim that loses a task names it", async () => {
  const context = await scriptedContext(({ system, messages }) => {
    const isLost = messages[0]?.content.includes("question 3") === true;
    return (system?.startsWith("good") === true) === !isLost ? "right" : "wrong";
  });
  const sealed = await sealAgainst(good, tasks(20), {
    ...context,
    settings: { ...context.settings, claimTrials: 2 },
  });
  expect(sealed).toMatchObject({ claim: { verdict: "better" }, fallen: ["t3"] });
  expect(sealedSentence(sealed)).toContain("Clearly lower in every trial: t3.");
});

test("a task that only got another check or weight has been read all the same", async () => {
  const context = await open({ claimTrials: 1 });
  await sealAgainst(good, tasks(20), context);
  const edited = tasks(20).map((task) => ({ ...task, answers: ["right", "correct"], weight: 2 }));
  expect(await sealAgainst(singleFileSkill("good, again"), edited, context)).toMatchObject({ read: 2 });
});

test("an unchanged skill reads nothing", async () => {
  const context = await open();
  expect((await sealAgainst(bad, tasks(20), context)).kind).toBe("unchanged");
  expect(context.requests).toHaveLength(0);
});

test("a claim that cannot pass is refused before its first call", async () => {
  const context = await open({ sealedAlpha: 1e-30 });
  const sealed = await sealAgainst(good, tasks(20), context);
  expect(sealed.kind).toBe("refused");
  expect(context.requests).toHaveLength(0);
  expect(sealedSentence(sealed)).toContain("too small for any claim");
});

test("trials follow one rule at any size, without a cliff", async () => {
  const { settings } = await open({ claimTrials: "auto" });
  const trials = [4, 8, 11, 12, 16, 20, 34, 50, 100].map(
    (count) => planSealed(tasks(count), settings).trials,
  );
  expect(trials[0]).toBe(10);
  expect(trials.at(-1)).toBe(1);
  // more tasks never ask for more trials, but where the test over tasks takes the place of the one over trials
  expect(trials.slice(3)).toEqual(trials.slice(3).toSorted((a, b) => b - a));
});

test("the worst kind of task, and a judge of the optimizer's kind, are in the evidence and in the sentence", async () => {
  const context = await scriptedContext(
    (request) => {
      const prompt = request.messages[0]?.content ?? "";
      const isGood = request.system?.startsWith("good") === true;
      if (request.system?.includes("Contract: judge") !== true)
        return isGood === !prompt.includes("refund") ? "right" : "wrong";
      return JSON.stringify({ reason: "", score: /BEGIN answer .*\nright\n/.test(prompt) ? 1 : 0 });
    },
    { claimTrials: 2 },
  );
  const kinds = ["billing", "billing", "refund"];
  const judged = tasks(24).map(({ id }, at) => ({
    id,
    type: kinds[at % 3] ?? "",
    input: `${kinds[at % 3]} ${at}`,
    checks: [{ kind: "rubric", value: "It is right." }],
  }));
  const sealed = await sealAgainst(good, judged, context);
  const { judge, optimizer } = context.models;
  expect(sealed).toMatchObject({
    evidence: { groups: judged.map(({ type }) => type), relatedJudge: { judge, optimizer } },
    claim: { worst: { name: "refund", tasks: 8, groups: 2, difference: -1 } },
  });
  const sentence = sealedSentence(sealed);
  expect(sentence).toContain("Worse on one group: refund, −100.0 points on 8 tasks, at worst −100.0 points");
  expect(sentence).toContain(relatedJudgeSentence({ judge, optimizer }));
});
