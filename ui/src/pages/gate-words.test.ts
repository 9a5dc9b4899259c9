import { expect, test } from "vitest";
import { countPairs, describeGate } from "./gate-words.ts";

const gate = { asked: 40, of: 100, pairs: [] };

test("the filter's estimate reads as a sentence", () => {
  const words = describeGate({ ...gate, evidence: { rollouts: 40, estimate: 0.11, sd: 0.046 } });
  expect(words.stop).toBe("Stopped early: 40 of 100 val tasks were enough for the decision.");
  expect(words.evidence[0]).toBe(
    "Expected effect of these edits: +11.0 points, give or take 4.6 (one standard deviation), after 40 rollouts.",
  );
});

test("p is explained, and a task left behind is named", () => {
  const evidence = {
    rollouts: 300,
    p: 0.02,
    lost: [
      { task: "t-7", p: 0.004 },
      { task: "t-8", p: null },
    ],
  };
  const words = describeGate({ evidence, p: 0.02, asked: 100, of: 100, pairs: [] });
  expect(words.stop).toBe("All 100 val tasks were asked before the decision.");
  expect(words.evidence).toEqual([
    "p = 0.020: how often a candidate that isn't better would win this clearly by luck alone.",
    "t-7 always passed before and never passed with the candidate. Run again, p = 0.004.",
    "t-8 always passed before and never passed with the candidate.",
  ]);
});

test("figures that are not there are not invented", () => {
  expect(describeGate({ ...gate, evidence: null, of: 0, asked: 0 })).toEqual({
    stop: "No val tasks were asked.",
    evidence: [],
  });
});

test("pairs are counted by outcome", () => {
  const pair = { task: "a", incumbent: 0, candidate: 1 };
  expect(
    countPairs([
      { ...pair, outcome: "win" },
      { ...pair, outcome: "open" },
    ]),
  ).toEqual({
    win: 1,
    loss: 0,
    tie: 0,
    open: 1,
  });
});
