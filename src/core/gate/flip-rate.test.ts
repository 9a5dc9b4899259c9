import { expect, test } from "vitest";
import { flipRate } from "./flip-rate.ts";

test("a task with one trial tells nothing about noise", () => {
  // of the pairs of the first task two in three differ
  expect(flipRate([[1, 1, 0], [0, 0, 0], [1]])).toBeCloseTo(1 / 3, 12);
  expect(flipRate([])).toBe(0);
});

test("partial scores differ by the square of their distance", () => {
  expect(flipRate([[0.2, 0.6]])).toBeCloseTo(0.16, 12);
});
