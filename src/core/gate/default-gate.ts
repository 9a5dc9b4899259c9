import type { DefaultFacts } from "../setting.ts";
import { allTasks, isShared } from "../tasks/few-tasks.ts";
import { setMembers } from "../scorers/set-members.ts";
import type { Check, Splits } from "../tasks/task.ts";
import type { GateName } from "./gate-names.ts";

export type TaskFacts = Pick<DefaultFacts, "train" | "val" | "tasks" | "severalChecks"> &
  Partial<Pick<DefaultFacts, "shared">>;

/** The facts about the tasks that defaults depend on. */
export function taskFacts(splits: Splits): TaskFacts {
  const tasks = allTasks(splits);
  return {
    train: splits.train.length,
    val: splits.val.length,
    shared: isShared(splits),
    tasks: tasks.length,
    severalChecks: tasks.filter(({ checks = [] }) => countConditions(checks) > 1).length,
  };
}

/** Checks that must all pass; an `all` counts as its members. */
const countConditions = (checks: readonly Check[]): number =>
  checks.reduce((sum, check) => {
    const isList = check.kind === "all" && check.negate !== true;
    return sum + (isList ? countConditions(setMembers(check)) : 1);
  }, 0);

/**
 * The gate of a run that doesn't name one. `rules` tries random parts of the open rules. With very few tasks that only
 * pass or fail, it sees too little, so `strict` tries rules together.
 */
export const defaultGate = (facts: Omit<TaskFacts, "train">): GateName =>
  needsStrict(facts) ? "strict" : "rules";

/** Says which gate the tasks led to and how to choose the other. Empty if `rules` applies. */
export const defaultGateNotes = (facts: TaskFacts): readonly string[] =>
  needsStrict(facts)
    ? [
        `gate: strict, because val has ${facts.val} of the ${fewestValTasks} tasks that rules needs; --gate rules measures each rule by itself`,
      ]
    : [];

const fewestValTasks = 6;

/** Several checks tell more about a task than a single pass does. */
const needsStrict = ({ val, tasks, severalChecks, shared = false }: Omit<TaskFacts, "train">): boolean =>
  !shared && val < fewestValTasks && 2 * severalChecks <= tasks;
