import { expect, test } from "vitest";
import type { EndedStep } from "../core/step-record.ts";
import { readStep } from "./read-step.ts";

const step: EndedStep = {
  step: 3,
  epoch: 2,
  budget: 4,
  action: "accept",
  reason: "better",
  score: 0.5,
  evidence: { rollouts: 40, p: 0.01 },
  current: { score: 0.5, hash: "now" },
  best: { score: 0.5, step: 3, hash: "now" },
  edits: 2,
  refused: 1,
};

test("a step is read as it was written, without the rest of its event", () => {
  const event = { ...step, type: "step-end", seq: 9, at: 9, run: "r", v: 1 };
  expect(readStep(event, 1)).toEqual(step);
});

test("a step of version 0.1.0 keeps its scores", () => {
  const { edits, refused, action, reason, score } = step;
  const old = { step: 3, action, reason, edits, refused, score, incumbent: 0.5, best: 0.6 };
  expect(readStep(old as unknown as EndedStep, 2)).toMatchObject({
    step: 3,
    epoch: 2,
    edits: 2,
    current: { score: 0.5 },
    best: { score: 0.6 },
  });
  const off = { step: 1, action, reason, edits, refused };
  expect(readStep(off as unknown as EndedStep, 1)).toMatchObject({
    score: null,
    current: { score: null },
    best: { score: null },
  });
});
