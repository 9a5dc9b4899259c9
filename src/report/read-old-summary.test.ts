import { expect, test } from "vitest";
import { readOldSummary } from "./read-old-summary.ts";

test("a summary of version 0.1.0 is read in the words and shapes of today", () => {
  const old = {
    verdict: "underpowered",
    claim: { verdict: "underpowered", p: 0.2 },
    test: { tasks: 20 },
    baselines: { noSkill: 0.5, oneShot: null },
  };
  expect(readOldSummary(old)).toMatchObject({
    verdict: "not-proven",
    claim: { verdict: "not-proven", p: 0.2 },
    baselines: { noSkill: { value: 0.5, tasks: 20 }, oneShot: null },
  });
});

test("a summary of today stays as it is", () => {
  const summary = {
    verdict: "better",
    baselines: { noSkill: { value: 0.5, low: 0.3, high: 0.7, tasks: 9 }, oneShot: null },
  };
  expect(readOldSummary(summary)).toEqual(summary);
  expect(readOldSummary(null)).toBeNull();
});
