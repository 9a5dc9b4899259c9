import { expect, test } from "vitest";
import vectors from "../../../test/vectors/strict-gate.json" with { type: "json" };
import type { Metric } from "./score.ts";
import { strictGate } from "./strict.ts";

test.each(vectors)("vector %#: $metric $hard/$soft against $currentScore, best $bestScore", (row) => {
  const result = strictGate({
    candidate: { skill: "cand", step: 9, hard: row.hard, soft: row.soft },
    current: { skill: "cur", score: row.currentScore },
    best: { skill: "best", score: row.bestScore, step: 3 },
    metric: row.metric as Metric,
    mixedWeight: row.mixedWeight,
  });
  expect(result).toEqual({
    action: row.action,
    score: row.score,
    current: { skill: row.current, score: row.newCurrentScore },
    best: { skill: row.best, score: row.newBestScore, step: row.bestStep },
  });
});

test("a tie keeps the incumbent, and so does a score that is not a number", () => {
  const gate = (hard: number) =>
    strictGate({
      candidate: { skill: "longer", step: 1, hard, soft: 0 },
      current: { skill: "current", score: 0.5 },
      best: { skill: "current", score: 0.5, step: 0 },
      metric: "hard",
      mixedWeight: 0,
    }).action;
  expect(gate(0.5)).toBe("reject");
  expect(gate(Number.NaN)).toBe("reject");
});
