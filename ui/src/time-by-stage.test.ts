import { expect, test } from "vitest";
import type { StageSpan } from "../../src/report/model.ts";
import { timeByStage } from "./time-by-stage.ts";

const span = (stage: StageSpan["stage"], from: number, to: number): StageSpan => ({
  stage,
  from,
  to,
  step: 1,
  total: 5,
  pending: 0,
});

test("times of a stage add up, the longest first", () => {
  const sums = timeByStage([span("rollout", 0, 10), span("evaluate", 10, 70), span("rollout", 70, 90)]);
  expect(sums.map(({ stage, ms, spans, total }) => [stage, ms, spans, total])).toEqual([
    ["evaluate", 60, 1, 5],
    ["rollout", 30, 2, 10],
  ]);
});

test("a stage that goes on around others is in the background", () => {
  const sums = timeByStage([span("test", 0, 100), span("rollout", 10, 30), span("evaluate", 30, 60)]);
  expect(sums.filter(({ isBackground }) => isBackground).map(({ stage }) => stage)).toEqual(["test"]);
});
