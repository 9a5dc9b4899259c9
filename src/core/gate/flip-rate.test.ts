import { expect, test } from "vitest";
import { flipRate } from "./flip-rate.ts";

test("for pass/fail trials it is how often two of them differ", () => {
  // task 0: of three pairs two differ; task 1: none; task 2: one trial says nothing
  const { rate, byTask, unsteady } = flipRate([[1, 1, 0], [0, 0, 0], [1]]);
  expect(byTask).toEqual([expect.closeTo(2 / 3, 12), 0, null]);
  expect(rate).toBeCloseTo(1 / 3, 12);
  expect(unsteady).toBe(0.5);
});

test("for graded trials it is their mean squared difference", () => {
  expect(flipRate([[0.2, 0.6]]).rate).toBeCloseTo(0.16, 12);
});

test("nothing measured is no noise", () => {
  expect(flipRate([])).toEqual({ rate: 0, byTask: [], unsteady: 0 });
});
