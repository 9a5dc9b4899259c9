import { expect, test } from "vitest";
import { estimateFailures, estimatePlainSteps } from "./estimate-replies.ts";

const optimizer = new Map();

test("how often attempts agree is unknown at first, and follows what was seen", () => {
  expect(estimatePlainSteps({ optimizer })).toEqual({ low: 0, high: 0.5 });
  const seen = (plain: number, steps: number) =>
    estimatePlainSteps({ optimizer, contrasted: { steps, plain } });
  expect(seen(0, 1)).toEqual({ low: 0, high: 0.5 });
  expect(seen(1, 1)).toEqual({ low: 0.5, high: 1 });
  expect(seen(0, 20).high).toBeLessThan(0.3);
});

test("failures lie between half and all of what failed at first, with the error of few tasks", () => {
  expect(estimateFailures({ optimizer })).toEqual({ low: 0.2, high: 0.8 });
  const few = estimateFailures({ optimizer, score: { mean: 0.6, tasks: 8 } });
  const many = estimateFailures({ optimizer, score: { mean: 0.6, tasks: 800 } });
  expect(many.low).toBeCloseTo(0.2, 1);
  expect(many.high).toBeCloseTo(0.4, 1);
  expect(few.low).toBeLessThan(many.low);
  expect(few.high).toBeGreaterThan(many.high);
  expect(estimateFailures({ optimizer, score: { mean: 1, tasks: 50 } }).low).toBeGreaterThan(0);
});
