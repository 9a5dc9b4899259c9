import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { fitRules, startModel } from "./fit-rules.ts";
import { addColumns } from "./rule-model.ts";
import { drawPass } from "./prune/draw-pass.ts";
import { findNeeded } from "./find-needed.ts";
import { sift } from "./prune/sift-rules.ts";

/** Passes over twenty tasks; what is surely needed is in every text from then on. Null: missing. */
const roll = (rules: number, score: (has: readonly number[], task: number, pass: number) => number | null) =>
  sift(
    { rules, tasks: 20, texts: 4 },
    (pass) => seededRandom("needed", rules, pass),
    async (passes, from) =>
      passes.map(({ texts, textOf }, nth) =>
        textOf.map((text, task) => score(texts[text] ?? [], task, from + nth)),
      ),
  );

test("a rule is needed that only two of twenty tasks miss; idle ones are not", async () => {
  const { needed, found, flipRate } = await roll(6, (has, task) => Number(task > 1 || has.includes(2)));
  expect(needed).toEqual([2]);
  expect(found[2]?.needed).toBeGreaterThan(0.99);
  for (const [rule, { worth }] of found.entries()) expect(worth.mean > 0.05).toBe(rule === 2);
  // of these two tasks, only results of texts that had it count
  expect(flipRate).toBe(0);
});

test("a rule is needed that is worth a little on every task", async () => {
  const { needed, found } = await roll(6, (has) => (has.includes(3) ? 0.7 : 0.6));
  expect(needed).toEqual([3]);
  expect(found[3]?.needed).toBeLessThan(0.1);
  expect(found[3]?.worth.helps).toBeGreaterThan(0.99);
});

test("of two rules that say the same one is needed", async () => {
  const { needed } = await roll(6, (has, task) => Number(task > 7 || has.includes(1) || has.includes(4)));
  expect(needed).toHaveLength(1);
  expect([1, 4]).toContain(needed[0]);
});

test("of two rules that a task needs both, both are needed", async () => {
  const { needed } = await roll(4, (has, task) => Number(task > 9 || (has.includes(0) && has.includes(3))));
  expect(new Set(needed)).toEqual(new Set([0, 3]));
});

test("a rule that does harm is not needed, and nothing is without results", async () => {
  const { needed, found } = await roll(3, (has, task) => Number(task > 9 || !has.includes(1)));
  expect(needed).toEqual([]);
  expect(found[1]?.worth.high).toBeLessThan(0);
  const model = fitRules(addColumns(startModel({ tasks: 20 }), ["", ""]));
  expect(findNeeded(model, 0.9)).toMatchObject({ needed: [], found: [{ needed: 0 }, { needed: 0 }] });
});

test("missing results are skipped", async () => {
  const { needed } = await roll(4, (has, task, pass) =>
    (task + pass) % 5 === 0 ? null : Number(task > 4 || has.includes(1)),
  );
  expect(needed).toEqual([1]);
});

test("a pass: a needed rule is in every text, another in some, and each text has its share of the tasks", () => {
  const random = seededRandom("pass");
  for (const texts of [2, 4, 8]) {
    const pass = drawPass({ rules: 30, tasks: 16, texts }, new Set([3]), random);
    for (let rule = 0; rule < 30; rule += 1) {
      const times = pass.texts.filter((has) => has.includes(rule)).length;
      if (rule === 3) expect(times).toBe(texts);
      else expect(times > 0 && times < texts).toBe(true);
    }
    for (const text of pass.texts.keys())
      expect(pass.textOf.filter((one) => one === text)).toHaveLength(16 / texts);
  }
});
