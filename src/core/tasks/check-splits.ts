import { WhetstoneError } from "../errors.ts";
import { findNearDuplicates } from "./near-duplicates.ts";
import { type SplitName, type Splits, type Task, splitNames } from "./task.ts";

/**
 * Refuses splits that can't give a fair verdict. Train and val mustn't be empty, ids must be unique, and two splits
 * mustn't share a group, a duplicate or a near-duplicate.
 */
export function checkSplits(splits: Splits): void {
  for (const name of ["train", "val"] as const) {
    if (splits[name].length === 0)
      throw refuse(`The ${name} split has no tasks.`, "Add tasks to it. The test split never replaces it.");
  }
  const placed = splitNames.flatMap((split) =>
    splits[split]
      .filter((task) => split !== "val" || !splits.train.includes(task))
      .map((task) => ({ split, task })),
  );
  checkIds(placed);
  checkGroups(placed);
  checkDuplicates(placed);
}

interface Placed {
  readonly split: SplitName;
  readonly task: Task;
}

function checkIds(placed: readonly Placed[]): void {
  const splitOf = new Map<string, SplitName>();
  for (const { split, task } of placed) {
    const earlier = splitOf.get(task.id);
    if (earlier !== undefined) {
      const where = earlier === split ? `twice in ${split}` : `in ${earlier} and in ${split}`;
      throw refuse(`The id "${task.id}" is used ${where}.`, "Give every task an id of its own.");
    }
    splitOf.set(task.id, split);
  }
}

function checkGroups(placed: readonly Placed[]): void {
  const splitOf = new Map<string, SplitName>();
  for (const { split, task } of placed) {
    if (task.group === undefined) continue;
    const earlier = splitOf.get(task.group) ?? split;
    if (earlier !== split) {
      const problem = `The group "${task.group}" is in ${earlier} and in ${split}.`;
      throw refuse(problem, "Keep all tasks of a group in one split.");
    }
    splitOf.set(task.group, split);
  }
}

function checkDuplicates(placed: readonly Placed[]): void {
  const crossing = findNearDuplicates(placed.map(({ task }) => task)).flatMap(
    ({ first, second, similarity }) => {
      const [one, other] = [placed[first], placed[second]];
      if (one === undefined || other === undefined || one.split === other.split) return [];
      const likeness = similarity === 1 ? "the same" : `${Math.floor(similarity * 100)}% the same`;
      return [`"${one.task.id}" (${one.split}) and "${other.task.id}" (${other.split}) are ${likeness}`];
    },
  );
  if (crossing.length === 0) return;
  const shown = crossing.slice(0, 3).join("; ");
  const more = crossing.length > 3 ? `; and ${crossing.length - 3} more` : "";
  throw refuse(
    `Tasks are repeated across splits, so a score there wouldn't be held out: ${shown}${more}.`,
    "Remove one of each pair, or move both into one split. Splitting by ratio keeps them together.",
  );
}

const refuse = (problem: string, hint: string): WhetstoneError =>
  new WhetstoneError("tasks-invalid", problem, { hint });
