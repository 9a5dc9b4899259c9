import { expect, test } from "vitest";
import { paperSettings } from "../../../test/support/scripted-run.ts";
import type { TrainSettings } from "../settings.ts";
import { type CallKind, type RunSizes, countCalls, countSteps, reflectionCalls } from "./count-calls.ts";

const sizes: RunSizes = {
  train: 80,
  val: 50,
  test: 40,
  sealedTrials: 3,
  claimPossible: true,
  ownReflection: false,
  plainSteps: { low: 0, high: 0.5 },
  failures: { low: 0.25, high: 0.75 },
};

const callsOf = (kind: CallKind, settings: Partial<TrainSettings>, some: Partial<RunSizes> = {}) =>
  countCalls({ ...paperSettings, ...settings }, { ...sizes, ...some }).find((one) => one.kind === kind)
    ?.calls;

test("steps are batches of all epochs", () => {
  expect(countSteps({ ...paperSettings, epochs: 3, batchSize: 30, accumulation: 1 }, 80)).toBe(9);
  expect(countSteps({ ...paperSettings, epochs: 3, batchSize: 30, accumulation: 2 }, 80)).toBe(6);
});

test("rollouts that no result can change are counted exactly", () => {
  expect(callsOf("train", { epochs: 3, attempts: 2 })).toEqual({ low: 480, high: 480 });
  expect(callsOf("val", { gate: "strict" })).toEqual({ low: 50, high: 50 });
  expect(callsOf("val", { gate: "filter" })).toEqual({ low: 70, high: 70 });
  expect(callsOf("val", { gate: "paired", trials: 5 })).toEqual({ low: 250, high: 250 });
  expect(callsOf("val", { gate: "off" })).toBeUndefined();
  // an original that stays is not tested; one that does not is also measured once more, for drift
  expect(callsOf("test-original", {})).toEqual({ low: 0, high: 170 });
  expect(callsOf("test-original", { evalTest: false })).toBeUndefined();
  expect(callsOf("test-original", {}, { claimPossible: false })).toBeUndefined();
});

test("the filter gate spends from its first look to the budget that it gives itself", () => {
  // 4 candidates, a pass over val for each
  const filter = callsOf("candidate", { gate: "filter", epochs: 2, batchSize: 40 });
  expect(filter).toEqual({ low: 0.4 * 4 * 50, high: 4 * 50 });
  const strict = { gate: "strict", epochs: 2, batchSize: 40 } as const;
  expect(callsOf("candidate", { ...strict, stopEarly: false })).toEqual({ low: 200, high: 200 });
  expect(callsOf("candidate", { gate: "off" })).toBeUndefined();
});

test("an epoch's end is paid for from the second epoch on", () => {
  expect(callsOf("epoch", { epochs: 1, slowUpdate: true })).toBeUndefined();
  expect(callsOf("epoch", { epochs: 3, slowUpdate: true, slowUpdateSamples: 10 })).toEqual({
    low: 20,
    high: 40,
  });
  expect(callsOf("slow-update", { epochs: 3, slowUpdate: true })).toEqual({ low: 2, high: 2 });
  // notes for an epoch that does not come are not written
  expect(callsOf("meta-skill", { epochs: 3, metaSkill: true })).toEqual({ low: 1, high: 1 });
});

test("both roles are tried once, and an environment of its own reflects by itself", () => {
  const tried = countCalls(paperSettings, sizes).filter(({ stage }) => stage === "preflight");
  expect(tried.map(({ kind, calls }) => [kind, calls.high])).toEqual([
    ["longest", 1],
    ["first-analyst", 1],
  ]);
  expect(callsOf("analyst", {}, { ownReflection: true })).toBeUndefined();
});

test("analysts and merges follow the minibatches", () => {
  const failed = { low: 0.25, high: 0.75 };
  const one = reflectionCalls({ ...paperSettings, minibatchSize: 8 }, 1, failed);
  expect([one.analysts, one.merges]).toEqual([
    { low: 1, high: 1 },
    { low: 0, high: 0 },
  ]);
  const many = reflectionCalls({ ...paperSettings, minibatchSize: 8 }, 40, failed);
  expect(many.fewest).toBe(5);
  expect(many.analysts.low).toBeGreaterThan(5);
  expect(many.analysts.high).toBeLessThan(6);
  expect(many.merges.high).toBeLessThanOrEqual(3);
});
