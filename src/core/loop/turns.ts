import { type TaskFacts, taskFacts } from "../gate/default-gate.ts";
import type { TrainSettings } from "../settings.ts";
import type { Gate } from "./gate.ts";
import { editBudget } from "../stages/edit-budget.ts";
import { planBatches } from "../tasks/batches.ts";
import type { Splits, Task } from "../tasks/task.ts";

/** A search in order: a step for each batch, and the work at the end of an epoch. */
export type Turn =
  | {
      readonly kind: "step";
      readonly epoch: number;
      /** From 1. */
      readonly step: number;
      readonly batch: readonly Task[];
      /** The most edits that an analyst may propose and the step applies. */
      readonly budget: number;
      /** How many of them the edit budget covers; the rest are surplus. */
      readonly within: number;
    }
  | {
      readonly kind: "epoch";
      readonly epoch: number;
      /** The last step of the epoch. */
      readonly step: number;
      readonly isLast: boolean;
    };

/** The search, then one leg for each epoch that continues it: a larger `more` starts with all of a smaller one. */
export function turnsByLeg(
  splits: Splits,
  settings: TrainSettings,
  gate: Pick<Gate, "open">,
): readonly (readonly Turn[])[] {
  const { epochs, more = 0 } = settings;
  const turns = planTurns(splits, { ...settings, epochs: epochs + more }, gate, epochs);
  return [
    turns.filter(({ epoch }) => epoch <= epochs),
    ...Array.from({ length: more }, (_, at) => turns.filter(({ epoch }) => epoch === epochs + at + 1)),
  ];
}

export function planTurns(
  splits: Splits,
  settings: TrainSettings,
  gate: Pick<Gate, "open">,
  scheduled = settings.epochs,
): readonly Turn[] {
  const batches = planBatches(splits.train, {
    ...settings,
    batchSize: settings.batchSize * settings.accumulation,
  });
  const { schedule, editBudget: max, minEditBudget: min, slowUpdate, metaSkill } = settings;
  const isByRule = gate.open !== undefined;
  const hasSurplus = isByRule && affordsSurplus(taskFacts(splits));
  const total = batches.slice(0, scheduled).reduce((sum, epoch) => sum + epoch.length, 0);
  let step = 0;
  return batches.flatMap((epochBatches, at): readonly Turn[] => {
    const epoch = at + 1;
    const steps = epochBatches.map((batch): Turn => {
      step += 1;
      const within = editBudget({ schedule, max, min, step, total });
      return { kind: "step", epoch, step, batch, budget: hasSurplus ? 2 * within : within, within };
    });
    // after the first epoch there's nothing to look back on
    const looksBack = epoch > 1 && (slowUpdate || metaSkill);
    const end: Turn = { kind: "epoch", epoch, step, isLast: epoch >= scheduled };
    return looksBack ? [...steps, end] : steps;
  });
}

/**
 * A gate that measures each rule by itself needn't choose before measuring. But few val tasks can't tell that many
 * rules apart, and rules that only pass a task together hide among them.
 */
export const affordsSurplus = ({ val, tasks, severalChecks }: Omit<TaskFacts, "train">): boolean =>
  val > 15 && 2 * severalChecks <= tasks;

export const countSteps = (turns: readonly Turn[]): number =>
  turns.filter(({ kind }) => kind === "step").length;

/** How many steps proposals lag behind. A short training can't afford proposals for problems that are already solved. */
export const lagIn = (steps: number, { lag }: Pick<TrainSettings, "lag">): number => (steps < 6 ? 0 : lag);

/** Counts turns, and those that usually propose something; guidance is rare. */
export const countTurns = (turns: readonly Turn[]) => ({
  turns: turns.length,
  proposals: countSteps(turns),
});
