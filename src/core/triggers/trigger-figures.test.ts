import { expect, test } from "vitest";
import type { Rolled } from "../stages/rollout.ts";
import { countTriggers } from "./trigger-figures.ts";

const rolled = (wanted: boolean, triggered: boolean): Rolled => ({
  task: { id: "1", input: "x", checks: [{ kind: "trigger", value: wanted }] },
  outcome: {
    kind: "scored",
    hard: Number(wanted === triggered),
    soft: Number(wanted === triggered),
    feedback: "",
    conversation: [],
    extras: { triggered },
  },
});
const pending: Rolled = {
  task: rolled(true, true).task,
  outcome: { kind: "pending", cause: { class: "throttle", message: "429" } },
};

test("precision and recall with their counts; a missing result counts nowhere", () => {
  const list = [rolled(true, true), rolled(true, true), rolled(true, false), rolled(false, true), pending];
  expect(countTriggers(list)).toEqual({
    rollouts: 4,
    wanted: 3,
    triggered: 3,
    both: 2,
    precision: 2 / 3,
    recall: 2 / 3,
  });
});

test("a skill that was never loaded has no precision, one that never should be has no recall", () => {
  expect(countTriggers([rolled(true, false), rolled(false, false)])).toMatchObject({
    precision: null,
    recall: 0,
  });
  expect(countTriggers([rolled(false, true)])).toMatchObject({ precision: 0, recall: null });
});
