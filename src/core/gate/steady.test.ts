import { expect, test } from "vitest";
import { isSteady } from "./steady.ts";

const isSame = (one: number, first: number | undefined) => one === first;

test("a target is steady when no task differs between trials, though tasks and arms do", () => {
  const before = [
    [1, 0, 1],
    [1, 0, 1],
  ];
  const after = [
    [0, 0, 1],
    [0, 0, 1],
  ];
  expect(isSteady([before, after], isSame)).toBe(true);
});

test("one task that differs once in one arm is enough", () => {
  const before = [
    [1, 0],
    [1, 0],
    [1, 0],
  ];
  const after = [
    [1, 0],
    [1, 0],
    [1, 1],
  ];
  expect(isSteady([before, after], isSame)).toBe(false);
});
