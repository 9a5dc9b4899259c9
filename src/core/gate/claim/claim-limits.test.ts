import { expect, test } from "vitest";
import { bestPossibleP, claimLimits } from "./claim-limits.ts";
import { searchP } from "./claim-p.ts";

test.each([
  [4, 1],
  [4, 3],
  [11, 2],
  [12, 1],
  [20, 3],
])("%d tasks × %d trials: the smallest p is the one of a perfect candidate", (tasks, trials) => {
  const perfect = { incumbent: Array(trials).fill(0), candidate: Array(trials).fill(1) };
  expect(bestPossibleP({ tasks, trials })).toBeCloseTo(
    searchP(Array.from({ length: tasks }, () => perfect)),
    12,
  );
});

test("a claim that cannot pass names what would do", () => {
  expect(claimLimits({ tasks: 4, trials: 1 }, 0.05)).toEqual({
    possible: false,
    proof: false,
    bestP: 1 / 16,
    tasksNeeded: 6,
    trialsNeeded: 2,
  });
});

test("over tasks, trials do not help", () => {
  expect(claimLimits({ tasks: 12, trials: 3 }, 1e-4)).toMatchObject({ possible: false, trialsNeeded: null });
});

test("no tasks prove nothing", () => {
  expect(claimLimits({ tasks: 0, trials: 3 }, 0.05)).toMatchObject({
    possible: false,
    bestP: 1,
    trialsNeeded: null,
  });
});
