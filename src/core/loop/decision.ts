import type { GateEvidence, StepAction } from "../step-record.ts";
import type { Skill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import type { RolloutPlan } from "../stages/rollout.ts";
import type { Standing } from "./standing.ts";

export interface GateDecisionInput {
  readonly candidate: Skill;
  readonly step: number;
  readonly original: Skill;
  readonly standing: Standing;
  readonly val: readonly Task[];
  /** Candidates still to come in this run, this one included. */
  readonly proposalsLeft: number;
  /** All candidates of the run, as planned. */
  readonly proposals: number;
  /** Hears of each result of the candidate as it comes. */
  readonly onRolled?: RolloutPlan["onRolled"];
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
