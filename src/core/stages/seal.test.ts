import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import type { Context } from "../context.ts";
import { type Skill, singleFileSkill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { planSealed, rollOriginal, seal, sealedTrials } from "./seal.ts";
import { sealedSentence } from "./sealed-sentence.ts";

const tasks = (count: number): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({ id: `t${at}`, input: `question ${at}`, answers: ["right"] }));
const good = singleFileSkill("good");
const bad = singleFileSkill("bad");
const sealAgainst = (best: Skill, list: readonly Task[], context: Context) => {
  const plan = planSealed(list.length, context.settings);
  return seal(bad, best, list, plan, rollOriginal(bad, list, plan, context), context);
};
const open = (settings = {}) =>
  scriptedContext((request) => (request.system?.startsWith("good") === true ? "right" : "wrong"), settings);

test("a better skill is claimed with its figures, and the read is counted once", async () => {
  const context = await open({ trials: 2 });
  const test20 = tasks(20);
  const sealed = await sealAgainst(good, test20, context);
  expect(sealed).toMatchObject({
    kind: "claimed",
    read: 1,
    trials: 2,
    claim: { verdict: "better", wins: 20 },
  });
  expect(sealedSentence(sealed)).toMatch(/^Better: \+100\.0 points .*first read of this test set\.$/);
  const again = await sealAgainst(good, test20, context);
  expect(again).toMatchObject({ read: 1 });
});

test("another pair of skills on the same test set is a second read, with a smaller alpha", async () => {
  const context = await open();
  const test20 = tasks(20);
  await sealAgainst(good, test20, context);
  const other = singleFileSkill("good, otherwise");
  const second = await sealAgainst(other, test20.toReversed(), context);
  expect(second).toMatchObject({ kind: "claimed", read: 2 });
  expect(second.kind === "claimed" && second.alpha).toBeCloseTo((0.05 * 6) / (Math.PI * 2) ** 2, 12);
});

test("an unchanged skill reads nothing", async () => {
  const context = await open();
  const sealed = await sealAgainst(bad, tasks(20), context);
  expect(sealed.kind).toBe("unchanged");
});

test("a claim that cannot pass is refused before its first call", async () => {
  const context = await open({ sealedAlpha: 1e-30 });
  const plan = planSealed(20, context.settings);
  expect(plan.limits.possible).toBe(false);
  const sealed = await seal(bad, good, tasks(20), plan, undefined, context);
  expect(sealed.kind).toBe("refused");
  expect(context.requests).toHaveLength(0);
  expect(sealedSentence(sealed)).toContain("too small for any claim");
});

test("few tasks get more trials, fixed before the run", async () => {
  const { settings } = await open({ trials: 1 });
  expect(sealedTrials(50, settings)).toBe(1);
  expect(sealedTrials(4, settings)).toBeGreaterThan(3);
  expect(sealedTrials(4, settings)).toBeLessThanOrEqual(10);
});
