import { expect, test } from "vitest";
import type { RolloutRef } from "../../../src/report/model.ts";
import { chooseRollouts } from "./choose-rollouts.ts";

const rollout = (ref: string, hard: number | null, more: Partial<RolloutRef> = {}): RolloutRef => ({
  ref,
  version: 0,
  step: 0,
  stage: "test",
  trial: 0,
  hard,
  soft: hard,
  ...more,
});
const chosen = (...rollouts: readonly RolloutRef[]) => chooseRollouts(rollouts).map(({ ref }) => ref);

test("a failure of the original stands beside the pass of the best skill", () => {
  expect(chosen(rollout("original", 0), rollout("best", 1, { version: 2 }))).toEqual(["original", "best"]);
});

test("a task that always passes shows one rollout", () => {
  expect(chosen(rollout("first", 1), rollout("last", 1))).toEqual(["last"]);
});

test("a missing result and a baseline are not chosen while there is something else", () => {
  const none = rollout("none", 0, { version: -1 });
  expect(chosen(none, rollout("measured", 1), rollout("missing", null))).toEqual(["measured"]);
  expect(chosen(rollout("missing", null))).toEqual(["missing"]);
  expect(chosen()).toEqual([]);
});
