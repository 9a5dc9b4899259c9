import { expect, test } from "vitest";
import { earnAlpha, spendAlpha } from "./spend-alpha.ts";

test("the first look has 0.030 of 0.05, and all looks together never more than 0.05", () => {
  expect(spendAlpha(0.05, 1)).toBeCloseTo(0.0304, 4);
  let total = 0;
  for (let look = 1; look <= 10_000; look += 1) total += spendAlpha(0.05, look);
  expect(total).toBeLessThan(0.05);
  expect(total).toBeGreaterThan(0.0499);
});

test("what was found earns alpha back: the bar never stays high after a discovery", () => {
  expect(earnAlpha(0.05, 5, [])).toBeCloseTo(0.9 * spendAlpha(0.05, 5), 12);
  expect(earnAlpha(0.05, 5, [4])).toBeGreaterThan(3 * earnAlpha(0.05, 5, []));
  expect(earnAlpha(0.05, 5, [2, 4])).toBeGreaterThan(spendAlpha(0.05, 1));
  // a later discovery says nothing about an earlier read
  expect(earnAlpha(0.05, 3, [3, 7])).toBe(earnAlpha(0.05, 3, []));
});

test("without a discovery all reads together stay below alpha", () => {
  let total = 0;
  for (let read = 1; read <= 10_000; read += 1) total += earnAlpha(0.05, read, []);
  expect(total).toBeLessThan(0.05);
});
