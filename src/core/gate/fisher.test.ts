import { expect, test } from "vitest";
import { fisherP } from "./fisher.ts";

test.each([
  // 2×2 tables worked by hand: successes of the first, of the second, trials each, p
  [6, 0, 6, 1 / 924],
  [6, 1, 6, 6 / 792],
  [5, 1, 6, 37 / 924],
  [3, 3, 6, 1 - 1 / 924 - 36 / 924 - 225 / 924],
  [0, 6, 6, 1],
])("%d against %d of %d", (first, second, trials, p) => {
  expect(fisherP({ passed: first, trials }, { passed: second, trials })).toBeCloseTo(p, 12);
});

test("arms of different size", () => {
  expect(fisherP({ passed: 4, trials: 4 }, { passed: 0, trials: 2 })).toBeCloseTo(1 / 15, 12);
});
