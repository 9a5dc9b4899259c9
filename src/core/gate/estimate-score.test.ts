import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateScore, estimateShare } from "./estimate-score.ts";

test("pass or fail has the Wilson interval", () => {
  // 33 of 100: Wilson by hand
  const estimate = estimateScore([...Array(33).fill(1), ...Array(67).fill(0)]);
  expect(estimate?.value).toBeCloseTo(0.33, 12);
  expect(estimate?.low).toBeCloseTo(0.2456, 4);
  expect(estimate?.high).toBeCloseTo(0.4269, 4);
});

test("all passes are not certain", () => {
  const estimate = estimateScore([1, 1, 1, 1]);
  expect(estimate?.high).toBe(1);
  expect(estimate?.low).toBeCloseTo(0.51, 2);
});

test("graded scores have the interval of their own spread", () => {
  // mean 0.5, variance of the four 1/12: standard error 0.1443
  const estimate = estimateScore([0.25, 0.25, 0.75, 0.75]);
  expect(estimate?.low).toBeCloseTo(0.5 - 1.96 * Math.sqrt(1 / 12 / 4), 6);
});

test("nothing measured is no estimate", () => {
  expect(estimateScore([])).toBeUndefined();
});

test("an estimate lies within its interval, and the interval within 0 and 1", () => {
  const means = fc.array(fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })), {
    minLength: 1,
  });
  fc.assert(
    fc.property(means, (scores) => {
      const { value, low, high, tasks } = estimateScore(scores) ?? estimateShare(0, 0);
      expect(tasks).toBe(scores.length);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(value + 1e-9);
      expect(high).toBeGreaterThanOrEqual(value - 1e-9);
    }),
  );
});
