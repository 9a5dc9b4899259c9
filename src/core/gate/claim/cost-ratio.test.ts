import { expect, test } from "vitest";
import { fallsShort } from "../../../../test/support/rate-bar.ts";
import { seededRandom } from "../../random.ts";
import { atLeastP, atMostP, costRatio } from "./cost-ratio.ts";
import { drawNormal } from "./task-model.ts";

/** Costs are skewed, and tasks differ by far: the arms share what a task takes. */
function drawPairs(count: number, ratio: number, random: () => number) {
  return Array.from({ length: count }, () => {
    const task = Math.exp(6 + drawNormal(random));
    const own = () => task * Math.exp(0.4 * drawNormal(random));
    return { before: own(), after: ratio * own() };
  });
}

test("what costs twice as much is shown to, with an interval around two", () => {
  const pairs = drawPairs(40, 2, seededRandom("twice"));
  const { value, low, high } = costRatio(pairs, 0.05) ?? { value: 0, low: 0, high: 0 };
  expect(low).toBeGreaterThan(1.1);
  expect(low).toBeLessThan(value);
  expect(high).toBeGreaterThan(value);
  expect(atLeastP(pairs, 1.1)).toBeLessThan(0.05);
  expect(atMostP(pairs, 1.1)).toBeGreaterThan(0.95);
});

test("a cost just above the limit is taken for one within it in 5 of 100 cases at most, and an interval misses as often", () => {
  const random = seededRandom("limit");
  const [trials, cells] = [600, 3];
  let [within, below, above] = [0, 0, 0];
  for (let trial = 0; trial < trials; trial += 1) {
    const pairs = drawPairs(16, 1.1, random);
    if (atMostP(pairs, 1.1) <= 0.05) within += 1;
    const { low = 0, high = null } = costRatio(pairs, 0.05) ?? {};
    if (low > 1.1) above += 1;
    if (high !== null && high < 1.1) below += 1;
  }
  for (const hits of [within, below, above])
    expect(fallsShort({ hits, trials }, { most: 0.05 }, cells)).toBe(false);
  // it is no empty promise: the test does use its five percent
  expect(within).toBeGreaterThan(trials / 100);
});

test("what never differs is exactly the same, and four pairs bound nothing", () => {
  const same = Array.from({ length: 8 }, () => ({ before: 300, after: 300 }));
  const ratio = costRatio(same, 0.05);
  expect(ratio?.value).toBe(1);
  expect(ratio?.low).toBeCloseTo(1, 2);
  expect(ratio?.high).toBeCloseTo(1, 2);
  expect(costRatio(same.slice(0, 4), 0.05)).toMatchObject({ value: 1, low: 0, high: null });
  expect(costRatio([{ before: 0, after: 5 }], 0.05)).toBeUndefined();
});
