import type { TrainSettings } from "../settings.ts";
import { editBudget } from "../stages/edit-budget.ts";
import { planBatches } from "../tasks/batches.ts";
import type { Task } from "../tasks/task.ts";

/** What a search does in order: a step for each batch, and what comes at the end of an epoch. */
export type Turn =
  | {
      readonly kind: "step";
      readonly epoch: number;
      /** From 1. */
      readonly step: number;
      readonly batch: readonly Task[];
      /** Edits that an analyst may propose, and that the step takes unless the optimizer chooses (`autonomous`). */
      readonly budget: number;
    }
  | {
      readonly kind: "epoch";
      readonly epoch: number;
      /** The last step of the epoch. */
      readonly step: number;
      readonly isLast: boolean;
    };

export function planTurns(train: readonly Task[], settings: TrainSettings): readonly Turn[] {
  const batches = planBatches(train, { ...settings, batchSize: settings.batchSize * settings.accumulation });
  const { schedule, editBudget: max, minEditBudget: min, slowUpdate, metaSkill } = settings;
  const total = batches.reduce((sum, epoch) => sum + epoch.length, 0);
  let step = 0;
  return batches.flatMap((epochBatches, at): readonly Turn[] => {
    const epoch = at + 1;
    const steps = epochBatches.map((batch): Turn => {
      step += 1;
      const budget = schedule === "autonomous" ? max : editBudget({ schedule, max, min, step, total });
      return { kind: "step", epoch, step, batch, budget };
    });
    // there is nothing to look back on after the first one
    const looksBack = epoch > 1 && (slowUpdate || metaSkill);
    const end: Turn = { kind: "epoch", epoch, step, isLast: epoch === batches.length };
    return looksBack ? [...steps, end] : steps;
  });
}

export const countSteps = (turns: readonly Turn[]): number =>
  turns.filter(({ kind }) => kind === "step").length;

/** Steps by which proposals lag. A short training can't afford one that answers what it solved already. */
export const lagIn = (turns: readonly Turn[], { lag }: Pick<TrainSettings, "lag">): number =>
  countSteps(turns) < 6 ? 0 : lag;

/** Turns that can propose something: as many candidates the gate may have to decide about. */
export const countProposals = (turns: readonly Turn[], { slowUpdate }: TrainSettings): number =>
  turns.filter(({ kind }) => kind === "step" || slowUpdate).length;
