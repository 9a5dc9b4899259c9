import type { Context } from "../context.ts";
import { shortIdentity, skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import type { StepRecord } from "../step-record.ts";
import type { GateDecision } from "./decision.ts";
import type { Proposed } from "./propose-step.ts";
import type { Standing } from "./standing.ts";

/** Everything one step saw and did. */
export interface StepOutcome extends Omit<Proposed, "candidate">, GateDecision {
  /** The skill that the gate decided about; with the gate `rules` the one that the step made. */
  readonly candidate?: Skill;
}

/** A step with what the gate said of its proposals, if there were any. */
export function stepOutcome(
  { candidate, ...step }: Proposed,
  before: Standing,
  decision: GateDecision | undefined,
): StepOutcome {
  if (decision === undefined)
    return { ...step, action: "skip", reason: step.nothing ?? "", standing: before };
  const { standing } = decision;
  if (standing.gate.kind !== "rules") return { ...step, ...decision, candidate };
  const made = standing.current.skill;
  const isNew = skillIdentity(made) !== skillIdentity(before.current.skill);
  return { ...step, ...decision, ...(isNew ? { candidate: made } : {}) };
}

export function tellStep(outcome: StepOutcome, { emit }: Context): void {
  const edits = outcome.reports.filter((edit) => edit.applied).length;
  const refused = outcome.reports.length - edits;
  emit({ type: "step-end", ...recordStep(outcome), edits, refused });
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
