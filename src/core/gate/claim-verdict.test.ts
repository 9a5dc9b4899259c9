import { expect, test } from "vitest";
import type { ClaimPair, Trial } from "./claim-pair.ts";
import { claimVerdict } from "./claim-verdict.ts";

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const pair = (incumbent: Trial, candidate: Trial, trials = 3): ClaimPair => ({
  incumbent: times(trials, incumbent),
  candidate: times(trials, candidate),
});
const judge = (pairs: readonly ClaimPair[]) => claimVerdict(pairs, { alpha: 0.05 });

test("better, with its p, interval and counts by task", () => {
  const verdict = judge([...times(10, pair(0, 1)), ...times(5, pair(1, 1)), pair(1, 0)]);
  expect(verdict).toMatchObject({ verdict: "better", test: "sign-flip", scope: "tasks like these" });
  expect(verdict).toMatchObject({ wins: 10, losses: 1, ties: 5, rollouts: 96, missing: 0 });
  expect(verdict.p).toBeCloseTo(12 / 2 ** 11, 12);
  expect(verdict.difference).toBeCloseTo(9 / 16, 12);
  expect(verdict.interval.level).toBeCloseTo(0.9, 12);
  expect(verdict.interval.low).toBeGreaterThan(0);
});

test("worse is the same the other way round", () => {
  const verdict = judge([...times(10, pair(1, 0)), ...times(5, pair(1, 1)), pair(0, 1)]);
  expect(verdict.verdict).toBe("worse");
  expect(verdict.pWorse).toBeCloseTo(12 / 2 ** 11, 12);
});

test("no difference needs evidence too", () => {
  expect(judge(times(60, pair(1, 1))).verdict).toBe("no-difference");
  expect(judge(times(14, pair(1, 1, 1))).verdict).toBe("underpowered");
  expect(judge(times(4, pair(1, 1, 1))).verdict).toBe("underpowered");
});

test("a handful of tasks speaks for itself only", () => {
  expect(judge(times(4, pair(0, 1)))).toMatchObject({
    verdict: "better",
    test: "within-task",
    scope: "these tasks",
  });
});

test("missing results leave it undecided only while they could change it", () => {
  const known = times(12, pair(0, 1));
  expect(judge([...known, pair(0, null)]).verdict).toBe("better");
  const open = judge([...known, ...times(9, pair(1, null))]);
  expect(open).toMatchObject({ verdict: "undecided", missing: 27, wins: 12, ties: 0 });
  expect(open.p).toBeGreaterThan(0.05);
});
