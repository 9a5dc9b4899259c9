import { expect, test } from "vitest";
import type { EventBody, RunEvent } from "../core/events.ts";
import { type RunState, reduceRun, timeLeft } from "./run-state.ts";

const cost = (calls: number) => ({ nanoUsd: calls * 10, tokens: calls * 2, calls });
const start: EventBody = {
  type: "run-start",
  command: "train",
  skill: "s",
  models: { target: "a/b", optimizer: "c/d" },
  tasks: { train: 4, val: 2, test: 0 },
  steps: 4,
  resumed: 0,
  finished: false,
  spent: cost(0),
  folder: "/runs/r",
  settings: { metric: "hard", mixedWeight: 0.5 },
};
const unit = (stage: "rollout" | "baseline", from: "provider" | "journal"): EventBody => ({
  type: "unit-end",
  key: "k",
  role: "target",
  step: 1,
  stage,
  from,
  cost: cost(1),
  ms: 5,
  tries: 1,
});
const stepEnd = (step: number, incumbent: number): EventBody => ({
  type: "step-end",
  step,
  action: "accept",
  reason: "better",
  edits: 1,
  refused: 0,
  score: incumbent,
  incumbent,
  best: incumbent,
});

/** One event every second. */
function reduce(events: readonly EventBody[], before?: RunState): RunState {
  const first = (before?.seq ?? 0) + 1;
  const all = events.map(
    (body, at): RunEvent => ({ v: 1, seq: first + at, at: (first + at) * 1000, run: "r", ...body }),
  );
  const state = all.reduce<RunState | undefined>(reduceRun, before);
  if (state === undefined) throw new Error("no state");
  return state;
}

test("a state begins with run-start", () => {
  expect(reduceRun(undefined, { v: 1, seq: 1, at: 1, run: "r", ...stepEnd(1, 0.5) })).toBeUndefined();
});

test("stages count their units, and the baseline is the first score to beat", () => {
  const state = reduce([
    start,
    { type: "stage-start", step: 0, stage: "baseline", total: 2 },
    unit("baseline", "provider"),
    unit("baseline", "journal"),
    { type: "stage-end", step: 0, stage: "baseline", total: 2, pending: 0, ms: 9, hard: 0.5, soft: 0.6 },
  ]);
  expect(state.stages.baseline).toEqual({ step: 0, done: 2, total: 2, ended: true });
  expect([state.incumbent, state.best]).toEqual([0.5, 0.5]);
  expect([state.bought, state.fromJournal, state.spent.calls]).toEqual([1, 1, 1]);
});

test("another execution begins progress again and keeps what was bought and worked", () => {
  const stepStart: EventBody = { type: "step-start", step: 1, epoch: 1, steps: 4, budget: 4 };
  const first = reduce([start, stepStart, unit("rollout", "provider"), stepEnd(1, 0.7)]);
  const second = reduce(
    [{ ...start, resumed: 1, spent: cost(1) }, stepStart, unit("rollout", "journal")],
    first,
  );
  expect(second.rows).toEqual([]);
  expect(second.costs).toEqual({ target: cost(1) });
  expect(second.spent).toEqual(cost(1));
  expect([second.executions, second.workedMs]).toEqual([2, 3000]);
});

test("the time left follows the steps that were bought, not those read from the journal", () => {
  const stepStart = (step: number): EventBody => ({
    type: "step-start",
    step,
    epoch: 1,
    steps: 4,
    budget: 4,
  });
  const replayed = reduce([start, stepStart(1), unit("rollout", "journal"), stepEnd(1, 0.5)]);
  expect(timeLeft(replayed, replayed.at)).toBeUndefined();
  const bought = reduce([stepStart(2), unit("rollout", "provider"), stepEnd(2, 0.6), stepStart(3)], replayed);
  // a step took two seconds, and two of four are left
  expect(timeLeft(bought, bought.at)).toBe(4000);
  expect(timeLeft(bought, bought.at + 1000)).toBe(3000);
});

test("the end of a run is its last word, and a removed run says so", () => {
  const ended = reduce([
    start,
    { type: "run-end", status: "stopped", code: "spend-cap", message: "cap", cost: cost(9) },
  ]);
  expect([ended.status, ended.code, ended.spent.calls]).toEqual(["stopped", "spend-cap", 9]);
  expect(reduce([{ type: "run-removed" }], ended).status).toBe("removed");
});
