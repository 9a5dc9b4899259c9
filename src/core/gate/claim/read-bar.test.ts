import { expect, test } from "vitest";
import { readBar } from "./read-bar.ts";
import { earnAlpha, spendAlpha } from "./spend-alpha.ts";

test("the first read of tasks has the bar of a first read, whatever was read elsewhere", () => {
  const elsewhere = [{ tasks: ["x", "y"], isFound: true }];
  expect(readBar(["a", "b"], elsewhere, 0.05)).toEqual({
    read: 1,
    found: [],
    alpha: earnAlpha(0.05, 1, []),
    steadyAlpha: spendAlpha(0.05, 1),
  });
});

test("a read's number and what it has earned are those of its task that was read most", () => {
  const earlier = [
    { tasks: ["a", "b"], isFound: false },
    { tasks: ["b"], isFound: true },
    { tasks: ["c"], isFound: true },
    { tasks: ["b", "c"], isFound: false },
  ];
  // of b: the first, second and fourth, and the second found something
  expect(readBar(["a", "b", "d"], earlier, 0.05)).toEqual({
    read: 4,
    found: [2],
    alpha: earnAlpha(0.05, 4, [2]),
    steadyAlpha: spendAlpha(0.05, 4),
  });
});
