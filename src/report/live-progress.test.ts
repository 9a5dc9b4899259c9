import { expect, test } from "vitest";
import type { EventBody, RunEvent } from "../core/events.ts";
import { liveProgress } from "./live-progress.ts";
import { readEvents } from "./run-state.ts";

const start: EventBody = {
  type: "run-start",
  command: "train",
  skill: "s",
  models: { target: "a/b" },
  tasks: { train: 8, val: 4, test: 0 },
  steps: 4,
  resumed: 0,
  finished: false,
  spent: { nanoUsd: 0, tokens: 0, calls: 0 },
  caps: { usd: 5, tokens: 20_000, minutes: 10 },
  folder: "/r",
  settings: { epochs: 2 },
};
const forecast: EventBody = {
  type: "forecast",
  forecast: {
    rehearsals: 8,
    lines: [{ line: "rollout target", gapMs: 2000 }],
    milestones: [{ after: 0, kept: false, done: [0], left: [32] }],
  },
};
const result: EventBody = {
  type: "unit-end",
  key: "k",
  role: "target",
  step: 1,
  stage: "rollout",
  from: "provider",
  cost: { nanoUsd: 1e8, tokens: 1000, calls: 1 },
  ms: 2000,
  tries: 1,
};

/** One event every two seconds. */
function liveAfter(bodies: readonly EventBody[], waited = 0) {
  const events = bodies.map((body, nth): RunEvent => ({ v: 1, seq: nth, at: 2000 * nth, run: "r", ...body }));
  const state = readEvents(events);
  if (state === undefined) throw new Error("no state");
  return liveProgress(state, state.at + waited);
}

test("before the first result the rehearsals say how long it will take", () => {
  const live = liveAfter([start, forecast]);
  expect(live).toMatchObject({ place: "before the first step", stages: [], leftMs: 64_000 });
  expect(live.perMinute).toBeUndefined();
});

test("a live run has a stage, a pace, a time left and what is used of each cap", () => {
  const live = liveAfter(
    [
      start,
      forecast,
      { type: "step-start", step: 1, epoch: 1, steps: 4, budget: 4 },
      { type: "stage-start", step: 1, stage: "rollout", total: 8 },
      result,
      result,
    ],
    1000,
  );
  expect(live.place).toBe("step 1 of 4, epoch 1 of 2");
  expect(live.stages).toMatchObject([{ word: "rollout", done: 2, total: 8, text: "2/8" }]);
  expect(live.perMinute).toBeGreaterThan(10);
  expect(live.leftMs).toBeGreaterThan(45_000);
  expect([live.elapsedMs, live.silentMs]).toEqual([11_000, 1000]);
  expect(live.caps.map(({ text }) => text)).toEqual([
    "$0.200 of $5",
    "2000 of 20.0k tokens",
    "0 of 10 minutes",
  ]);
  expect(live.caps.map(({ share }) => Math.round(100 * share))).toEqual([4, 10, 2]);
});

test("answers of a judge are counted next to those that it scores", () => {
  const by = (role: "judge" | "target") => ({ ...result, role, stage: "rollout" }) as const;
  const judged = liveAfter([
    start,
    forecast,
    { type: "stage-start", step: 1, stage: "rollout", total: 8 },
    by("target"),
    by("judge"),
    by("judge"),
  ]);
  expect(judged.stages).toMatchObject([{ done: 1, total: 8, text: "1/8 (2 judged)" }]);
});

test("a search that ended early says so", () => {
  const step: EventBody = { type: "step-start", step: 2, epoch: 1, steps: 4, budget: 4 };
  const live = liveAfter([start, step, { type: "search-end", kept: true }]);
  expect(live.place).toBe("the search is over, final measurements");
});
