import { expect, test } from "vitest";
import type { Task } from "../tasks/task.ts";
import type { PlannedCalls } from "./count-calls.ts";
import { countJudge } from "./count-judge.ts";

const rubric = (value: string) => ({ kind: "rubric", value });
const judged = (id: string, rubrics: number): Task => ({
  id,
  input: `Question ${id}?`,
  reference: `Answer ${id}.`,
  checks: Array.from({ length: rubrics }, (_, at) => rubric(`${id} says ${at}.`)),
});

const rollouts = (kind: PlannedCalls["kind"], calls: number): PlannedCalls => ({
  kind,
  role: "target",
  stage: kind === "train" ? "rollout" : "evaluate",
  calls: { low: calls, high: 2 * calls },
  firstStep: 0,
  perStep: true,
});

const splits = { train: [judged("a", 2), judged("b", 0)], val: [judged("c", 3)], test: [] };

test("each rubric of every rollout is a call, and so is its trial", () => {
  const counted = countJudge([rollouts("train", 10), rollouts("candidate", 4), rollouts("no-skill", 1)], {
    splits,
    rows: [],
  });
  expect(counted.map(({ role }) => role)).toEqual(counted.map(() => "judge"));
  expect(counted.map(({ kind, calls }) => [kind, calls.low, calls.high])).toEqual([
    ["canary", 1, 1],
    // two tasks with 2 and 3 rubrics: a good answer, an empty one, a refusal, a foreign one and an order, and 2 pairs
    ["calibration", 5 * (2 + 3) + 2 * 2, 5 * (2 + 3) + 2 * 2],
    ["rubric", 10, 20],
    // the candidate's answers may be those of the skill before
    ["rubric", 0, 24],
    ["rubric", 3, 6],
  ]);
});

test("tasks without a rubric need no judge", () => {
  const plain = { train: [judged("a", 0)], val: [judged("b", 0)], test: [] };
  expect(countJudge([rollouts("train", 10)], { splits: plain, rows: [] })).toEqual([]);
});
