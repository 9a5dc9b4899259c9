import { expect, test } from "vitest";
import { drawNormal } from "../gate/claim/task-model.ts";
import { seededRandom } from "../random.ts";
import { rulePrices } from "./rule-price.ts";

test("a rule that makes rollouts longer has that price, and the others beside it have none", () => {
  const random = seededRandom("prices");
  const results = Array.from({ length: 240 }, (_, at) => {
    const rules = [1, 2, 3].filter(() => random() < 0.5);
    const [task, isDear] = [at % 20, rules.includes(2)];
    const tokens = 500 + 60 * task + (isDear ? 300 : 0) + 40 * drawNormal(random);
    return { task, rules, score: 1, used: { tokens, turns: isDear ? 2 : 1 } };
  });
  const prices = rulePrices(results);
  expect([...prices.keys()]).toEqual([1, 2, 3]);
  const { tokens = 0, tokensSd = 0, turns = 0 } = prices.get(2) ?? {};
  expect(Math.abs(tokens - 300)).toBeLessThan(4 * tokensSd);
  expect(tokensSd).toBeLessThan(20);
  expect(turns).toBeCloseTo(1, 1);
  for (const rule of [1, 3]) {
    const price = prices.get(rule);
    expect(Math.abs(price?.tokens ?? Number.NaN)).toBeLessThan(4 * (price?.tokensSd ?? 0));
  }
});

test("a rule that was never out, or that nobody counted, has no price", () => {
  const used = { tokens: 100, turns: 1 };
  const always = Array.from({ length: 20 }, (_, task) => ({ task, rules: [1], score: 1, used }));
  expect(rulePrices(always).size).toBe(0);
  expect(rulePrices(always.map(({ task, rules }) => ({ task, rules, score: 1 }))).size).toBe(0);
});
