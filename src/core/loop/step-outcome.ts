import type { Context } from "../context.ts";
import { countEdits } from "../refusal-words.ts";
import { shortIdentity } from "../skill/hash.ts";
import type { StepRecord } from "../step-record.ts";
import type { Proposed } from "./propose-step.ts";
import type { GateDecision, Standing } from "./gate.ts";

/** Everything that one step saw and did. */
export interface StepOutcome extends Omit<Proposed, "candidate">, GateDecision {}

/** A step with the gate's decision on its proposals, if it had any. */
export function stepOutcome(
  { candidate, ...step }: Proposed,
  before: Standing,
  decision: GateDecision | undefined,
): StepOutcome {
  if (decision === undefined)
    return { ...step, action: "skip", reason: step.nothing ?? "", standing: before };
  return { ...step, candidate, ...decision };
}

export function tellStep(outcome: StepOutcome, { emit }: Context): void {
  emit({ type: "step-end", ...recordStep(outcome), ...countEdits(outcome.reports) });
}

export function recordStep(outcome: StepOutcome): StepRecord {
  const { step, epoch, budget, action, reason, score = null, standing, evidence = null } = outcome;
  const { current, best } = standing;
  return {
    step,
    epoch,
    budget,
    action,
    reason,
    score,
    evidence,
    current: { score: current.score, hash: shortIdentity(current.skill) },
    best: { score: best.score, step: best.step, hash: shortIdentity(best.skill) },
  };
}
