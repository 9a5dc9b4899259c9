import type { EventBody, RunEvent } from "../../src/core/events.ts";
import { createRunReader } from "../../src/report/run-state.ts";

export interface ReducerTimes {
  /** All events from none, and the state after them. */
  readonly coldMs: number;
  /** The slowest of twenty times 1,000 more, with the state after each. */
  readonly furtherMs: number;
}

/** Times the reducer on events as a long run has them: nearly all are results. Making the events counts in. */
export function timeReducer(count: number): ReducerTimes {
  const reader = createRunReader();
  const events = makeEvents();
  const take = (number: number): number => {
    const started = performance.now();
    for (let taken = 0; taken < number; taken += 1) reader.add(events.next().value);
    if (reader.state() === undefined) throw new Error("no state");
    return performance.now() - started;
  };
  const coldMs = take(count);
  const further = Array.from({ length: 20 }, () => take(1000));
  return { coldMs: Math.round(coldMs), furtherMs: Math.round(10 * Math.max(...further)) / 10 };
}

const resultsPerStage = 2000;

function* makeEvents(): Generator<RunEvent, never> {
  let seq = 0;
  const next = (body: EventBody): RunEvent => {
    seq += 1;
    return { v: 1, seq, at: seq * 3, run: "r", ...body };
  };
  yield next({
    type: "run-start",
    command: "train",
    skill: "s",
    models: { target: "a/b" },
    tasks: { train: 1, val: 1, test: 1 },
    steps: 1000,
    resumed: 0,
    finished: false,
    spent: { nanoUsd: 0, tokens: 0, calls: 0 },
    folder: "/r",
    settings: { metric: "hard", mixedWeight: 0.5 },
  });
  for (let step = 1; ; step += 1) {
    yield next({ type: "step-start", step, epoch: 1, steps: 1000, budget: 4 });
    for (const stage of ["rollout", "reflect", "evaluate"] as const) {
      yield next({ type: "stage-start", step, stage, total: resultsPerStage });
      for (let unit = 0; unit < resultsPerStage; unit += 1) {
        const role = stage === "reflect" ? "optimizer" : "target";
        const cost = { nanoUsd: 41_000, tokens: 310, calls: 1 };
        yield unit % 100 === 0
          ? next({ type: "unit-pending", key: "k", role, step, stage, class: "timeout", message: "late" })
          : next({
              type: "unit-end",
              key: "k",
              role,
              step,
              stage,
              from: "provider",
              cost,
              ms: 900,
              tries: 1,
            });
      }
      yield next({ type: "stage-end", step, stage, total: resultsPerStage, pending: 0, ms: 6000 });
    }
    yield next({
      type: "step-end",
      step,
      epoch: 1,
      budget: 4,
      action: "accept",
      reason: "",
      score: 0.5,
      evidence: null,
      current: { score: 0.5, hash: "now" },
      best: { score: 0.5, step, hash: "now" },
      edits: 1,
      refused: 0,
    });
  }
}
