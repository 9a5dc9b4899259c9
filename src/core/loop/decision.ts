import type { Evaluation } from "../measure/evaluate.ts";
import type { GateEvidence, StepAction } from "../step-record.ts";
import type { Task } from "../tasks/task.ts";
import type { Candidates } from "./propose-step.ts";
import type { Standing } from "./standing.ts";

export interface GateInput extends Candidates {
  readonly step: number;
  /** The turn's place among those that can propose something, from 0. */
  readonly turn: number;
  readonly standing: Standing;
  readonly val: readonly Task[];
}

export interface GateDecision {
  readonly action: StepAction;
  /** In words, for a person. */
  readonly reason: string;
  /** The candidate's score as the gate saw it. */
  readonly score?: number;
  readonly standing: Standing;
  /** What was rolled out to decide. */
  readonly evaluation?: Evaluation;
  /** Figures of the decision: p, estimate, wins and losses, rollouts. */
  readonly evidence?: GateEvidence;
}

export interface StartedGate {
  readonly standing: Standing;
  /** The tasks that decide about candidates: those of val whose prompts the model takes. */
  readonly val: readonly Task[];
  /** The original on val; missing with `gate: off`. */
  readonly baseline?: Evaluation;
}
