import type { StepAction } from "../core/step-record.ts";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SpendCaps } from "../core/settings.ts";
import type { EventBody } from "../core/events.ts";
import { createLiveCalls } from "../report/live-calls.ts";
import { createRunReader } from "../report/run-state.ts";
import { textWidth } from "./format.ts";
import { asciiGlyphs, unicodeGlyphs } from "./glyphs.ts";
import { type ShownProgress, progressLine, progressLines } from "./progress-lines.ts";

const cost = { nanoUsd: 20_000_000, tokens: 900, calls: 1 };
const place = { role: "target", step: 2, stage: "evaluate" } as const;
const stepEnd = (step: number, action: StepAction, incumbent: number): EventBody => ({
  type: "step-end",
  step,
  epoch: 1,
  budget: 4,
  action,
  score: null,
  evidence: null,
  reason: "expected effect +4.6 points (± 4.0) after 40 rollouts: kept, val now about 60.0%",
  edits: 2,
  refused: 0,
  current: { score: incumbent, hash: "now" },
  best: { score: incumbent, step, hash: "now" },
});

/** A training in its third step, with a call that hangs and a provider that throttles. */
function inTheMiddle(caps: SpendCaps = { usd: 5 }): ShownProgress {
  const events: EventBody[] = [
    {
      type: "run-start",
      command: "train",
      skill: "s",
      models: { target: "a/b" },
      tasks: { train: 10, val: 40, test: 0 },
      steps: 4,
      resumed: 0,
      finished: false,
      spent: { nanoUsd: 0, tokens: 0, calls: 0 },
      folder: "/r",
      caps,
      settings: { metric: "hard", mixedWeight: 0.5, epochs: 2 },
    },
    { type: "stage-end", step: 0, stage: "baseline", total: 40, pending: 0, ms: 1, hard: 0.4, soft: 0.5 },
    { type: "step-start", step: 1, epoch: 1, steps: 4, budget: 4 },
    stepEnd(1, "accept_new_best", 0.6),
    { type: "step-start", step: 2, epoch: 1, steps: 4, budget: 4 },
    stepEnd(2, "reject", 0.6),
    { type: "step-start", step: 3, epoch: 2, steps: 4, budget: 4 },
    { type: "stage-start", step: 3, stage: "rollout", total: 20 },
    { type: "try-start", key: "a", ...place, stage: "rollout" },
    { type: "unit-end", key: "b", ...place, stage: "rollout", from: "provider", cost, ms: 9, tries: 1 },
    { type: "try-failed", key: "c", ...place, class: "throttle", message: "slow\ndown 日本" },
    { type: "lane-change", lane: "a/b", state: "throttled", limit: 4, message: "429" },
  ];
  const [reader, calls] = [createRunReader(), createLiveCalls()];
  events.forEach((event, nth) => {
    const full = { v: 1, seq: nth, at: 1000 * nth, run: "0123456789", ...event } as const;
    reader.add(full);
    calls.add(full);
  });
  const state = reader.state();
  if (state === undefined) throw new Error("no state");
  return { state, calls, now: 14_000 };
}

test("a frame says where the run is, how good, how dear, what flies and what failed", () => {
  const lines = progressLines(inTheMiddle(), { columns: 80, rows: 24, glyphs: unicodeGlyphs });
  const text = stripVTControlCharacters(lines.join("\n"));
  expect(text).toContain("train 01234567, step 3 of 4, epoch 2 of 2");
  expect(text).toMatch(/steps +█+░+ {2}2\/4/);
  expect(text).toMatch(/rollout +█+░+ {2}1\/20, \d+\/min, \d+:\d\d left/);
  expect(text).toContain("60.0%, from 40.0%  95% interval 44.6% to 73.7%, 40 tasks");
  expect(text).toContain("$0.020 of $5, 1 call, 900 tokens");
  expect(text).toContain("step 2 rejected: expected effect +4.6 points");
  expect(text).toContain("for 1 target call (rollout); the oldest for 6 s; 1 to retry");
  expect(text).toContain("1 throttle, a/b is rate limited to 4 at a time");
  expect(text).toContain("slow down 日本");
});

test("no frame is wider or higher than the terminal, however small it is", () => {
  const progress = inTheMiddle({ usd: 5, tokens: 1e6, calls: 2000, minutes: 10 });
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 250 }),
    rows: fc.integer({ min: 2, max: 80 }),
    glyphs: fc.constantFrom(unicodeGlyphs, asciiGlyphs),
  });
  fc.assert(
    fc.property(size, (frame) => {
      const lines = progressLines(progress, frame);
      expect(lines.length).toBeLessThan(frame.rows);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(frame.columns);
    }),
  );
});

test("bars of a poor terminal are ASCII", () => {
  const lines = progressLines(inTheMiddle(), { columns: 80, rows: 24, glyphs: asciiGlyphs });
  expect(lines.join("\n")).not.toMatch(/[█░─]/);
});

test("a log gets all of it in one line", () => {
  expect(progressLine(inTheMiddle())).toBe(
    "step 3 of 4, epoch 2 of 2  rollout 1/20  val 60.0%  $0.020 of $5  1 failed  0:14",
  );
});
