import { expect, test } from "vitest";
import { lostTasks, regressionCheck } from "./regression-check.ts";

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

test("a lost task was passed always before and never since", () => {
  const pairs = [
    { incumbent: [1, 1, 1], candidate: [0, 0.4, 0] },
    { incumbent: [1, 1, 1], candidate: [0, 1, 0] },
    { incumbent: [1, 0, 1], candidate: [0, 0, 0] },
  ];
  expect(lostTasks(pairs)).toEqual([{ task: 0, rerun: 6 }]);
});

test("with fewer than three trials it is only reported", () => {
  expect(lostTasks([{ incumbent: [1, 1], candidate: [0, 0] }])).toEqual([{ task: 0, rerun: 0 }]);
});

test("it blocks only when the new trials alone show it", () => {
  expect(regressionCheck({ incumbent: times(6, 1), candidate: times(6, 0) }).blocks).toBe(true);
  const mixed = { incumbent: [...times(5, 1), 0], candidate: [...times(5, 0), 1] };
  expect(regressionCheck(mixed)).toEqual({ p: expect.closeTo(37 / 924, 12), blocks: false });
});
