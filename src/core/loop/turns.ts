import { type TaskFacts, taskFacts } from "../gate/default-gate.ts";
import type { TrainSettings } from "../settings.ts";
import type { Gate } from "./gate.ts";
import { editBudget } from "../stages/edit-budget.ts";
import { planBatches } from "../tasks/batches.ts";
import type { Splits, Task } from "../tasks/task.ts";

/** What a search does in order: a step for each batch, and what comes at the end of an epoch. */
export type Turn =
  | {
      readonly kind: "step";
      readonly epoch: number;
      /** From 1. */
      readonly step: number;
      readonly batch: readonly Task[];
      /** Edits that an analyst may propose, and that the step takes. */
      readonly budget: number;
      /** How many of them the edit budget is meant for; the others are surplus. */
      readonly within: number;
    }
  | {
      readonly kind: "epoch";
      readonly epoch: number;
      /** The last step of the epoch. */
      readonly step: number;
      readonly isLast: boolean;
    };

/** The search, and after its end each epoch that goes on from there: a longer `more` begins with all of a shorter one. */
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
    // there is nothing to look back on after the first one
    const looksBack = epoch > 1 && (slowUpdate || metaSkill);
    const end: Turn = { kind: "epoch", epoch, step, isLast: epoch >= scheduled };
    return looksBack ? [...steps, end] : steps;
  });
}

/**
 * A gate that measures each rule by itself need not choose before it has measured. But few val tasks can't tell so many rules
 * apart, and rules that only pass a task together hide among them.
 */
export const affordsSurplus = ({ val, tasks, severalChecks }: Omit<TaskFacts, "train">): boolean =>
  val > 15 && 2 * severalChecks <= tasks;

export const countSteps = (turns: readonly Turn[]): number =>
  turns.filter(({ kind }) => kind === "step").length;

/** Steps by which proposals lag. A short training can't afford one that answers what it solved already. */
export const lagIn = (steps: number, { lag }: Pick<TrainSettings, "lag">): number => (steps < 6 ? 0 : lag);

/** Turns, and those that propose something; guidance seldom comes. */
export const countTurns = (turns: readonly Turn[]) => ({
  turns: turns.length,
  proposals: countSteps(turns),
});
