import { expect, test } from "vitest";
import { type GateGround, estimateCandidate, gateReport } from "./gate-report.ts";
import type { ResultSet, StepFolder } from "./run-folder.ts";
import { byHard } from "./task-means.ts";

const set = (name: string, step: number, rows: readonly (readonly [string, number])[]): ResultSet => ({
  name,
  step,
  stage: step === 0 ? "baseline" : "evaluate",
  ids: rows.map(([id]) => id),
  trial: rows.map(() => 0),
  hard: rows.map(([, hard]) => hard),
  soft: rows.map(([, hard]) => hard),
  inputs: new Map(),
});

const step = (number: number, rest: Partial<StepFolder> = {}): StepFolder => ({
  step: number,
  epoch: 1,
  budget: 1,
  action: "reject",
  reason: "",
  score: null,
  evidence: { rollouts: 2 },
  current: { score: 0.5, hash: "" },
  best: { score: 0.5, hash: "", step: 0 },
  patches: [],
  merged: [],
  selected: [],
  reports: [],
  ...rest,
});

const ground = (steps: GateGround["steps"], results: readonly ResultSet[]): GateGround => ({
  val: ["a", "b", "c", "d"],
  steps,
  results,
  scoring: byHard,
});
const baseline = set("selection_eval_baseline", 0, [
  ["a", 0],
  ["b", 1],
  ["c", 1],
  ["d", 0],
]);

test("what was asked comes in its order, what was not comes after it and is open", () => {
  const seen = set("steps/step_0000/selection_eval", 1, [
    ["c", 0],
    ["a", 1],
  ]);
  const gate = gateReport(step(1), ground([step(1)], [baseline, seen]));
  expect(gate?.pairs.map(({ task, outcome }) => [task, outcome])).toEqual([
    ["c", "loss"],
    ["a", "win"],
    ["b", "open"],
    ["d", "open"],
  ]);
  expect([gate?.asked, gate?.of]).toEqual([2, 4]);
  expect(gate?.pairs[1]?.ref).toBe("steps/step_0000/selection_eval#1");
});

test("the incumbent's score of a task is the latest one under a kept skill", () => {
  const kept = set("steps/step_0000/selection_eval", 1, [["a", 1]]);
  const rejected = set("steps/step_0001/selection_eval", 2, [["a", 0]]);
  const seen = set("steps/step_0002/selection_eval", 3, [["a", 1]]);
  const steps = [step(1, { action: "accept" }), step(2), step(3)];
  const gate = gateReport(step(3), ground(steps, [baseline, kept, rejected, seen]));
  expect(gate?.pairs[0]).toMatchObject({ task: "a", incumbent: 1, candidate: 1, outcome: "tie" });
});

test("after a return to the original its own scores count again", () => {
  const kept = set("steps/step_0000/selection_eval", 1, [["a", 1]]);
  const seen = set("steps/step_0002/selection_eval", 3, [["a", 1]]);
  const steps = [step(1, { action: "accept" }), step(2, { action: "return_to_original" }), step(3)];
  const gate = gateReport(step(3), ground(steps, [baseline, kept, seen]));
  expect(gate?.pairs[0]).toMatchObject({ incumbent: 0, outcome: "win" });
});

test("a candidate stopped early is estimated as if the rest had stayed as it was", () => {
  const seen = set("steps/step_0000/selection_eval", 1, [["b", 0]]);
  const estimate = estimateCandidate(step(1), ground([step(1)], [baseline, seen]));
  expect(estimate?.value).toBe(0.25);
  expect(estimate?.tasks).toBe(1);
});

test("the search gate's own expectation goes before the mean of what it happened to ask", () => {
  const seen = set("steps/step_0000/selection_eval", 1, [["b", 0]]);
  const judged = step(1, { evidence: { rollouts: 1, estimate: -0.1, sd: 0.05 } });
  const estimate = estimateCandidate(judged, ground([judged], [baseline, seen]));
  expect(estimate?.value).toBeCloseTo(0.4, 9);
  expect(estimate?.low).toBeCloseTo(0.4 - 1.96 * 0.05, 9);
});

test("where each rollout has its own rules there is no candidate, and what is known of each rule is told", () => {
  const seen = { ...set("steps/step_0000/selection_eval", 1, [["a", 1]]), rules: [[1]] };
  const rules = [{ rule: 1, state: "open", points: 2.1, sd: 1.4 }] as const;
  const first = step(1, { evidence: { rollouts: 1, estimate: 0.02, sd: 0.01, rules } });
  const where = ground([first], [baseline, seen]);
  expect(gateReport(first, where)).toEqual({ evidence: null, asked: 1, of: 4, pairs: [], rules });
  expect(estimateCandidate(first, where)).toBeUndefined();
});
