import type { StepAction, StepRecord } from "../core/step-record.ts";
import type { Stage } from "../core/place.ts";
import type { EditReport } from "../core/skill/apply-edits.ts";
import type { Edit, RawPatch } from "../core/skill/edit.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { SplitName } from "../core/tasks/task.ts";

/** The content of a run's artifacts. Anything may be missing, because a live run has written only part of it. */
export interface RunFolder {
  /** Ids of the tasks. */
  readonly splits: Readonly<Record<SplitName, readonly string[]>>;
  readonly original?: Skill;
  readonly best?: Skill;
  /** In order. */
  readonly steps: readonly StepFolder[];
  readonly epochs: readonly EpochRow[];
  readonly results: readonly ResultSet[];
}

export interface EpochRow {
  readonly epoch: number;
  readonly action: StepAction;
  readonly reason: string;
}

/** One step, without its rollouts. */
export interface StepFolder extends StepRecord {
  readonly patches: readonly RawPatch[];
  readonly merged: readonly Edit[];
  /** The edits to apply; the first reports are about these, in this order. */
  readonly selected: readonly Edit[];
  readonly reports: readonly EditReport[];
  readonly candidate?: Skill;
  /** The incumbent after the step. */
  readonly snapshot?: Skill;
}

/** The scores of one file of results, column by column, in the order of asking. */
export interface ResultSet {
  /** `steps/step_0002/selection_eval` */
  readonly name: string;
  readonly stage: Stage;
  /** 0 outside of steps. */
  readonly step: number;
  readonly ids: readonly string[];
  readonly trial: readonly number[];
  /** Null if the result is missing. */
  readonly hard: readonly (number | null)[];
  readonly soft: readonly (number | null)[];
  /** The input of each task, shortened. */
  readonly inputs: ReadonlyMap<string, string>;
  /** With `gate: rules`: the rules in the text of each rollout. Such a set doesn't belong to a single version. */
  readonly rules?: readonly (readonly number[])[];
}
