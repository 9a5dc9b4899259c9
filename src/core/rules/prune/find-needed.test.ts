import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { drawPass } from "./draw-pass.ts";
import { type RolledPass, findNeeded, isAtBest } from "./find-needed.ts";

/** Twenty passes over twenty tasks; what is surely needed is in every text from then on. */
function roll(rules: number, succeeds: (has: readonly boolean[], task: number) => boolean): RolledPass[] {
  const random = seededRandom("needed", rules);
  const passes: RolledPass[] = [];
  let known = new Set<number>();
  for (let nth = 0; nth < 20; nth += 1) {
    const pass = drawPass({ rules, tasks: 20, texts: 4 }, known, random);
    const scores = pass.textOf.map((text, task) => Number(succeeds(pass.texts[text] ?? [], task)));
    passes.push({ ...pass, scores });
    if (nth % 3 === 2) known = new Set(findNeeded(passes, rules, 100).rules);
  }
  return passes;
}

test("a rule is needed that only two of twenty tasks miss; idle ones are not", () => {
  const passes = roll(6, (has, task) => task > 1 || has[2] === true);
  const needed = findNeeded(passes, 6, 5);
  expect(needed.rules).toEqual([2]);
  expect(needed.evidence[2]).toBeGreaterThan(100);
  expect(needed.moved.map((movers) => movers.length)).toEqual([1, 1, ...Array<number>(18).fill(0)]);
  for (const { texts, textOf, scores } of passes)
    for (const [task, score] of scores.entries())
      expect(isAtBest(task, texts[textOf[task] ?? 0] ?? [], needed.moved)).toBe(score === 1);
});

test("of two rules that say the same one is needed", () => {
  const passes = roll(6, (has, task) => task > 7 || has[1] === true || has[4] === true);
  const { rules } = findNeeded(passes, 6, 10);
  expect(rules).toHaveLength(1);
  expect([1, 4]).toContain(rules[0]);
});

test("of two rules that a task needs both, both are needed", () => {
  const passes = roll(4, (has, task) => task > 9 || (has[0] === true && has[3] === true));
  expect(new Set(findNeeded(passes, 4, 5).rules)).toEqual(new Set([0, 3]));
});

test("a rule that does harm is not needed, and nothing is without rollouts", () => {
  expect(
    findNeeded(
      roll(3, (has, task) => task > 9 || has[1] === false),
      3,
      5,
    ).rules,
  ).toEqual([]);
  expect(findNeeded([], 3, 5)).toMatchObject({ rules: [], evidence: [1, 1, 1] });
});

test("missing results are skipped", () => {
  const passes = roll(4, (has, task) => task > 4 || has[1] === true);
  const holes = passes.map((pass, at) => ({
    ...pass,
    scores: pass.scores.map((score, task) => ((task + at) % 5 === 0 ? null : score)),
  }));
  expect(findNeeded(holes, 4, 5).rules).toEqual([1]);
});

test("a pass: a needed rule is in every text, another in some, and each text has its share of the tasks", () => {
  const random = seededRandom("pass");
  for (const texts of [2, 4, 8]) {
    const pass = drawPass({ rules: 30, tasks: 16, texts }, new Set([3]), random);
    for (let rule = 0; rule < 30; rule += 1) {
      const times = pass.texts.filter((has) => has[rule] === true).length;
      if (rule === 3) expect(times).toBe(texts);
      else expect(times > 0 && times < texts).toBe(true);
    }
    for (const text of pass.texts.keys())
      expect(pass.textOf.filter((one) => one === text)).toHaveLength(16 / texts);
  }
});
