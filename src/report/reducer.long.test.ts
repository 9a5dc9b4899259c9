import { longTest } from "../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../test/support/proof.ts";
import type { EventBody, RunEvent } from "../core/events.ts";
import { createRunReader } from "./run-state.ts";

const claim =
  "A million events of a run are read in 5 s of CPU time, and 1,000 more in 50 ms, including the state after them.";

longTest(claim, timeReducer, ["--events", "20000"]);

/** Nearly all events of a long run are results. Making the events counts in. Option: `--events n`. */
async function timeReducer({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const count = numberOption(args, "events", short ? 200_000 : 1_000_000);
  const reader = createRunReader();
  const events = makeEvents();
  const take = (number: number): number => {
    // a busy machine takes longer, and no more of the processor
    const before = process.cpuUsage();
    for (let taken = 0; taken < number; taken += 1) reader.add(events.next().value);
    if (reader.state() === undefined) throw new Error("no state");
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const coldMs = Math.round(take(count));
  const furtherMs = Math.max(...Array.from({ length: 20 }, () => Math.round(take(1000))));
  log(`${count} events in ${coldMs} ms, 1,000 more in at most ${furtherMs} ms`);
  // the processor of a test may do something else besides
  const ok = coldMs < 5000 && (short || furtherMs < 50);
  return { ok, figures: { events: count, coldMs, furtherMs } };
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
