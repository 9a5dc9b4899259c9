import { type EndedStep, endedStepSchema } from "../core/step-record.ts";

/** A step out of the journal. Version 0.1.0 wrote its scores alone, without epoch and budget. */
export function readStep(event: EndedStep, epoch: number): EndedStep {
  const { data } = endedStepSchema.safeParse(event);
  if (data !== undefined) return data;
  const old = event as unknown as OldStep;
  const { step, action, reason, edits, refused, score = null, incumbent = null, best = null } = old;
  return {
    step,
    epoch,
    budget: edits,
    action,
    reason,
    score,
    evidence: null,
    current: { score: incumbent, hash: "" },
    best: { score: best, step: 0, hash: "" },
    edits,
    refused,
  };
}

interface OldStep extends Pick<EndedStep, "step" | "action" | "reason" | "edits" | "refused"> {
  readonly score?: number;
  readonly incumbent?: number;
  readonly best?: number;
}
