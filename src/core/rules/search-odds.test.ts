import { expect, test } from "vitest";
import table from "./search-odds.json" with { type: "json" };
import { oddsSentence, searchOdds } from "./search-odds.ts";

const usual = { val: 20, steps: 10 };

test("a size that was simulated has its own odds, and beyond the first and the last there is no guess", () => {
  for (const { val, steps, base, ...odds } of table.rows) {
    const found = searchOdds({ val, steps, base });
    // the original's true score differs a little between sizes
    for (const key of ["gain", "low", "high"] as const)
      expect(Math.abs(found[key] - odds[key])).toBeLessThan(0.5);
    expect(found.keepsOriginal).toBeCloseTo(odds.keepsOriginal, 1);
  }
  expect(searchOdds({ ...usual, val: 1000, steps: 300 })).toEqual(
    searchOdds({ ...usual, val: 100, steps: 20 }),
  );
  expect(searchOdds({ ...usual, val: 2, steps: 1 })).toEqual(searchOdds({ ...usual, val: 10, steps: 4 }));
});

test("between two sizes the odds are between theirs", () => {
  const [few, some, many] = [20, 32, 50].map((val) => searchOdds({ ...usual, val, base: 0.4 }).gain) as [
    number,
    number,
    number,
  ];
  expect(some).toBeGreaterThan(Math.min(few, many));
  expect(some).toBeLessThan(Math.max(few, many));
});

test("more steps and more room to gain bring more; the interval holds the average", () => {
  for (const val of [20, 50, 100]) {
    const gain = (steps: number, base?: number) => searchOdds({ val, steps, base }).gain;
    expect(gain(20)).toBeGreaterThan(gain(4));
    expect(gain(10, 0.4)).toBeGreaterThan(gain(10, 0.8));
  }
  for (const { low, gain, high, keepsOriginal } of table.rows) {
    expect(low).toBeLessThanOrEqual(gain);
    expect(high).toBeGreaterThanOrEqual(low);
    expect(keepsOriginal).toBeGreaterThanOrEqual(0);
    expect(keepsOriginal).toBeLessThanOrEqual(1);
  }
});

test("the sentence names size, spread, the chance of the original and what the worlds leave out", () => {
  const odds = { gain: 5.4, low: -1.6, high: 19.2, keepsOriginal: 0.45 };
  expect(oddsSentence(usual, odds)).toBe(
    "With 20 val tasks and 10 steps, eight of ten searches like this gained −2 to 19 points in simulated worlds, 5 on average. 45 of 100 kept the original. These simulations use no real model.",
  );
  expect(oddsSentence(usual, { ...odds, low: -0.3 })).toContain("gained 0 to 19");
});
