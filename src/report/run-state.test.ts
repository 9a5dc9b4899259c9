import { expect, test } from "vitest";
import type { EventBody, RunEvent } from "../core/events.ts";
import { timeLeft } from "../core/rehearse/time-left.ts";
import { finalName } from "./final-name.ts";
import { type RunState, createRunReader, readEvents } from "./run-state.ts";

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
  epoch: 1,
  budget: 4,
  action: "accept",
  reason: "better",
  evidence: null,
  edits: 1,
  refused: 0,
  score: incumbent,
  current: { score: incumbent, hash: "now" },
  best: { score: incumbent, step, hash: "now" },
});

/** One event every second. */
function readBodies(bodies: readonly EventBody[]): RunState {
  const state = readEvents(numbered(bodies));
  if (state === undefined) throw new Error("no state");
  return state;
}

const numbered = (bodies: readonly EventBody[]): readonly RunEvent[] =>
  bodies.map((body, at) => ({ v: 1, seq: 1 + at, at: (1 + at) * 1000, run: "r", ...body }));

test("a state begins with run-start", () => {
  expect(readEvents(numbered([stepEnd(1, 0.5)]))).toBeUndefined();
});

test("stages count their units, and the baseline is the first score to beat", () => {
  const state = readBodies([
    start,
    { type: "stage-start", step: 0, stage: "baseline", total: 2 },
    unit("baseline", "provider"),
    unit("baseline", "journal"),
    { type: "stage-end", step: 0, stage: "baseline", total: 2, pending: 0, ms: 9, hard: 0.5, soft: 0.6 },
  ]);
  expect(state.stages.baseline).toEqual({ step: 0, done: 2, judged: 0, total: 2, ended: true });
  expect([state.incumbent, state.best]).toEqual([0.5, 0.5]);
  expect([state.bought, state.fromJournal, state.spent.calls]).toEqual([1, 1, 1]);
});

test("another execution begins progress again and keeps what was bought and worked", () => {
  const stepStart: EventBody = { type: "step-start", step: 1, epoch: 1, steps: 4, budget: 4 };
  const second = readBodies([
    start,
    stepStart,
    unit("rollout", "provider"),
    stepEnd(1, 0.7),
    { ...start, resumed: 1, spent: cost(1) },
    stepStart,
    unit("rollout", "journal"),
  ]);
  expect(second.rows).toEqual([]);
  expect(second.costs).toEqual({ target: cost(1) });
  expect(second.spent).toEqual(cost(1));
  expect([second.executions, second.workedMs]).toEqual([2, 3000]);
});

test("results count before their stage begins, and are read again when it does", () => {
  const early = [start, unit("rollout", "provider"), unit("rollout", "provider")];
  const before = readBodies(early);
  expect(before.stages.rollout).toEqual({ step: 1, done: 2, judged: 0, total: 0, ended: true });
  const begun = readBodies([
    ...early,
    { type: "stage-start", step: 1, stage: "rollout", total: 3 },
    unit("rollout", "journal"),
    unit("rollout", "journal"),
    unit("rollout", "provider"),
  ]);
  expect(begun.stages.rollout).toEqual({ step: 1, done: 3, judged: 0, total: 3, ended: false });
});

const forecast: EventBody = {
  type: "forecast",
  forecast: {
    rehearsals: 1,
    lines: [{ line: "rollout target", gapMs: 1000 }],
    milestones: [
      { after: 0, kept: false, done: [0], left: [6] },
      { after: 1, kept: true, done: [2], left: [4] },
      { after: "search", kept: true, done: [4], left: [2] },
    ],
  },
};

test("what is left is told before the first step, and follows milestones, not results of the journal", () => {
  const bought = { ...unit("rollout", "provider"), ms: 1000 } as EventBody;
  const left = (...events: readonly EventBody[]) => {
    const state = readBodies([start, forecast, ...events]);
    return timeLeft(state, state.at);
  };
  expect(left()).toBe(6000);
  expect(left(unit("rollout", "journal"))).toBe(6000);
  expect(left(bought)).toBeCloseTo(5000, -2);
  const second = [bought, bought, stepEnd(1, 0.6)];
  // a second has passed since the last result, and the next one takes a second
  expect(left(...second)).toBeCloseTo(3000, -2);
  // the search ended early: two results are left, whatever its steps would have taken
  expect(left(...second, { type: "search-end", kept: true })).toBeLessThan(1500);
});

test("the end of a run is its last word, and a removed run says so", () => {
  const stopped: EventBody = {
    type: "run-end",
    status: "stopped",
    code: "spend-cap",
    message: "cap",
    cost: cost(9),
  };
  const ended = readBodies([start, stopped]);
  expect([ended.status, ended.code, ended.spent.calls]).toEqual(["stopped", "spend-cap", 9]);
  expect(readBodies([start, stopped, { type: "run-removed" }]).status).toBe("removed");
});

test("costs are kept by role and stage over all executions", () => {
  const other: EventBody = { ...unit("rollout", "provider"), role: "judge" } as EventBody;
  const state = readBodies([
    start,
    unit("rollout", "provider"),
    unit("baseline", "provider"),
    start,
    unit("rollout", "provider"),
    other,
  ]);
  expect(state.stageCosts).toEqual([
    { role: "target", stage: "rollout", cost: cost(2) },
    { role: "target", stage: "baseline", cost: cost(1) },
    { role: "judge", stage: "rollout", cost: cost(1) },
  ]);
  expect(state.costs).toEqual({ target: cost(3), judge: cost(1) });
});

test("failed calls are counted by class, with the last message of each", () => {
  const failed = (name: string, message: string): EventBody => ({
    type: "unit-pending",
    key: "k",
    role: "target",
    step: 1,
    stage: "rollout",
    class: name,
    message,
  });
  const state = readBodies([
    start,
    failed("timeout", "a"),
    failed("throttled", "b"),
    failed("throttled", "c"),
  ]);
  expect(state.failures).toEqual([
    { class: "throttled", count: 2, message: "c" },
    { class: "timeout", count: 1, message: "a" },
  ]);
});

test("the timeline has no gap between executions, and leaves out what was only read again", () => {
  const stage: EventBody = { type: "stage-start", step: 1, stage: "rollout", total: 2 };
  const end: EventBody = { type: "stage-end", step: 1, stage: "rollout", total: 2, pending: 0, ms: 2000 };
  const stopped: EventBody = { type: "run-end", status: "stopped", message: "", cost: cost(1) };
  const evaluate: EventBody = { type: "stage-start", step: 1, stage: "evaluate", total: 2 };
  const judged: EventBody = { ...unit("rollout", "provider"), stage: "evaluate" } as EventBody;
  const first = [start, stage, unit("rollout", "provider"), end, evaluate, judged, stopped];
  const state = readBodies([...first, start, stage, { ...end, ms: 0 }, evaluate, judged]);
  expect(state.timeline).toEqual([
    { step: 1, stage: "rollout", from: 1000, to: 3000, total: 2, pending: 0 },
    // stopped with its last result
    { step: 1, stage: "evaluate", from: 4000, to: 5000, total: 2, pending: 0 },
    // goes on, three seconds into the second execution
    { step: 1, stage: "evaluate", from: 9000, to: 10000, total: 2, pending: 0 },
  ]);
});

test("a state does not change when later events come", () => {
  const reader = createRunReader();
  const events = numbered([
    start,
    { type: "stage-start", step: 1, stage: "rollout", total: 2 },
    unit("rollout", "provider"),
    stepEnd(1, 0.5),
  ]);
  const states = events.map((event) => {
    reader.add(event);
    return { state: reader.state(), text: JSON.stringify(reader.state()) };
  });
  expect(states.map(({ state }) => JSON.stringify(state))).toEqual(states.map(({ text }) => text));
});

test("the last comparison is a sealed test only where tasks were kept apart for it", () => {
  const tasks = { train: 14, val: 14, test: 0 };
  expect(finalName({ command: "train", tasks })).toBe("final comparison");
  expect(finalName({ command: "train", tasks: { ...tasks, test: 7 } })).toBe("sealed test");
  expect(finalName({ command: "compare", tasks })).toBe("comparison");
});
