import { expect, test } from "vitest";
import vectors from "../../../test/vectors/aggregate-score.json" with { type: "json" };
import type { Outcome } from "../tasks/outcome.ts";
import { gateScore, meanScore, type Score } from "./score.ts";

test.each(vectors)("the mean of vector %#", ({ results, hard, soft }) => {
  expect(meanScore(results as readonly Score[])).toEqual({ hard, soft });
});

test("the metric picks the number", () => {
  const score = { hard: 0.5, soft: 0.75 };
  expect(gateScore(score, "hard", 0.25)).toBe(0.5);
  expect(gateScore(score, "soft", 0.25)).toBe(0.75);
  expect(gateScore(score, "mixed", 0.25)).toBe(0.5625);
});

test("averaging anything but a score does not type-check", () => {
  const outcomes: readonly Outcome[] = [];
  // @ts-expect-error pending and invalid outcomes have no score
  expect(meanScore(outcomes)).toEqual({ hard: 0, soft: 0 });
});
