import type { DefaultFacts } from "../setting.ts";
import { allTasks, isShared } from "../tasks/few-tasks.ts";
import { setMembers } from "../scorers/set-members.ts";
import type { Check, Splits } from "../tasks/task.ts";
import type { GateName } from "./gate-names.ts";

export type TaskFacts = Pick<DefaultFacts, "train" | "val" | "tasks" | "severalChecks"> &
  Partial<Pick<DefaultFacts, "shared">>;

/** What defaults need to know of the tasks. */
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
 * The gate of a run that names none. `rules` tries random parts of the open rules. On very few tasks that only pass or fail it sees
 * too little; `strict` tries rules together.
 */
export const defaultGate = (facts: Omit<TaskFacts, "train">): GateName =>
  needsStrict(facts) ? "strict" : "rules";

/** Says which gate the tasks chose, and how to choose the other. Nothing where `rules` holds. */
export const defaultGateNotes = (facts: TaskFacts): readonly string[] =>
  needsStrict(facts)
    ? [
        `gate: strict, because val has ${facts.val} of the ${fewestValTasks} tasks that rules needs; --gate rules measures each rule by itself`,
      ]
    : [];

const fewestValTasks = 6;

/** Several checks tell more of each task than a pass does. */
const needsStrict = ({ val, tasks, severalChecks, shared = false }: Omit<TaskFacts, "train">): boolean =>
  !shared && val < fewestValTasks && 2 * severalChecks <= tasks;
