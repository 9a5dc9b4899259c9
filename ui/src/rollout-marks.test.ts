import { expect, test } from "vitest";
import type { EvaluationReport, TaskReport } from "../../src/report/model.ts";
import { combineMarks, countPasses, nameRollout, tabulateMarks } from "./rollout-marks.ts";

const evaluation = (more: Partial<EvaluationReport>): EvaluationReport => ({
  name: "test_eval_baseline",
  stage: "test",
  step: 0,
  version: 0,
  task: [0],
  trial: [0],
  hard: [1],
  ...more,
});
const task = (id: string, split: TaskReport["split"]): TaskReport => ({
  id,
  split,
  input: "",
  rollouts: 0,
  flags: [],
});
const tasks = [task("a", "val"), task("b", "test")];
const candidate = evaluation({
  name: "steps/step_0001/selection_eval",
  stage: "evaluate",
  step: 2,
  version: 2,
  task: [0, 0, 0],
  trial: [0, 2, 1],
  hard: [null, 0, 1],
});
const evaluations = [candidate, evaluation({ task: [1, 0], trial: [0, 0], hard: [1, 0.5] })];

test("a moment is as wide as the task with most results of it", () => {
  expect(tabulateMarks(evaluations, tasks, ["val", "test"]).moments).toEqual([
    { key: "step 2", short: "2", name: "step 2", width: 3 },
    { key: "test_eval_baseline", short: "v0", name: "the original, sealed test", width: 1 },
  ]);
});

test("train and val results of one step share its columns", () => {
  const both = [task("a", "val"), task("t", "train")];
  const rolled = evaluation({
    name: "steps/step_0001/rollout_results",
    stage: "rollout",
    step: 2,
    task: [1],
  });
  expect(tabulateMarks([rolled, candidate], both, ["train", "val"]).moments).toHaveLength(1);
});

test("moments without a task of these splits are left out", () => {
  expect(tabulateMarks(evaluations, tasks, ["test"]).moments.map(({ key }) => key)).toEqual([
    "test_eval_baseline",
  ]);
});

test("each result has its mark, and what was not asked has none", () => {
  const { marksOf } = tabulateMarks(evaluations, tasks, ["val", "test"]);
  expect(marksOf(0)).toEqual([["missing", "fail", "pass"], ["part"]]);
  expect(marksOf(1)).toEqual([["none", "none", "none"], ["pass"]]);
});

test("a task of another split does not widen a moment, nor spill into the next row", () => {
  const mixed = [evaluation({ task: [0, 0, 1, 0], trial: [0, 1, 0, 2], hard: [0, 0, 1, 0] })];
  const { moments, marksOf } = tabulateMarks(mixed, tasks, ["test"]);
  expect(moments[0]?.width).toBe(1);
  expect(marksOf(1)).toEqual([["pass"]]);
});

test("many marks become one", () => {
  expect(combineMarks(["pass", "pass", "none"])).toBe("pass");
  expect(combineMarks(["fail", "missing"])).toBe("fail");
  expect(combineMarks(["fail", "pass"])).toBe("part");
  expect(combineMarks(["missing", "none"])).toBe("missing");
  expect(combineMarks(["none"])).toBe("none");
});

test("a missing result counts neither as passed nor as failed", () => {
  expect(countPasses(evaluations, 2)).toEqual([
    { finished: 3, passed: 1 },
    { finished: 1, passed: 1 },
  ]);
});

test("runs without a skill and with a one-shot rewrite have their words", () => {
  const sealed = { stage: "test", step: 0 } as const;
  expect(nameRollout({ ...sealed, version: -1 }).name).toBe("no skill, sealed test");
  expect(nameRollout({ ...sealed, version: -2 }).name).toBe("a one-shot rewrite, sealed test");
});

test("a rollout with rules of its own is named by them", () => {
  const named = (rules: readonly number[]) =>
    nameRollout({ stage: "evaluate", step: 3, version: -3, rules }).name;
  expect(named([])).toBe("step 3, with no rule");
  expect(named([3, 7])).toBe("step 3, with rules 3 and 7");
  expect(named([1, 2, 3, 4, 5, 6, 7, 8, 9])).toBe("step 3, with 9 rules");
});
