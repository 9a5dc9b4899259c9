import { expect, test } from "vitest";
import { strictLuck } from "./strict-luck.ts";

test("a target without noise is never taken for its better", () => {
  expect(
    strictLuck(
      [
        [1, 1],
        [0, 0],
        [1, 1],
      ],
      1,
    ),
  ).toEqual({ accepted: 0, gain: 0 });
});

test("one coin accepts a quarter of its twins, each with a gain of one whole task", () => {
  const { accepted, gain } = strictLuck([[0, 1]], 1);
  expect(accepted).toBeGreaterThan(0.22);
  expect(accepted).toBeLessThan(0.28);
  expect(gain).toBe(1);
});

test("many coins accept nearly half of their twins", () => {
  const { accepted, gain } = strictLuck(
    Array.from({ length: 100 }, () => [0, 1]),
    1,
  );
  expect(accepted).toBeGreaterThan(0.42);
  expect(accepted).toBeLessThan(0.5);
  // half of a normal distribution with sd sqrt(100 / 2) / 100
  expect(gain).toBeCloseTo(0.0564, 1);
});
