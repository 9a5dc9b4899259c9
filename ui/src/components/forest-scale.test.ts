import { expect, test } from "vitest";
import { forestScale } from "./forest-scale.ts";

test.each([
  [
    [
      [4.1, 8.3],
      [-5.1, -1.1],
    ],
    [-10, -5, 0, 5, 10],
  ],
  [[[0.2, 1.7]], [0, 0.5, 1, 1.5, 2]],
  [[], [0, 0.1]],
  [[[-3, -1]], [-3, -2, -1, 0, 1]],
])("intervals %j have the marks %j", (intervals, ticks) => {
  const scale = forestScale(intervals.map(([low = 0, high = 0]) => ({ low, high })));
  expect(scale.ticks).toEqual(ticks);
  expect([scale.low, scale.high]).toEqual([ticks[0], ticks.at(-1)]);
});
