import type { DefaultFacts } from "../setting.ts";
import { setMembers } from "../scorers/set-members.ts";
import type { Check, Splits } from "../tasks/task.ts";
import type { GateName } from "./gate-names.ts";

export type TaskFacts = Pick<DefaultFacts, "train" | "val" | "tasks" | "severalChecks">;

/** What defaults need to know of the tasks. */
export function taskFacts({ train, val, test }: Splits): TaskFacts {
  const tasks = [...train, ...val, ...test];
  return {
    train: train.length,
    val: val.length,
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
 * The gate of a run that names none. `rules` tries random parts of the open rules, so on few tasks, or on tasks that pass only
 * with several rules at once, it sees nothing and keeps nothing; `strict` tries them together.
 */
export const defaultGate = (facts: Omit<TaskFacts, "train">): GateName =>
  reasonsForStrict(facts).length === 0 ? "rules" : "strict";

/** Says which gate the tasks chose, and how to choose the other. Nothing where `rules` holds. */
export function defaultGateNotes(facts: TaskFacts): readonly string[] {
  const reasons = reasonsForStrict(facts);
  return reasons.length === 0
    ? []
    : [`gate: strict, because ${reasons.join(" and ")}; --gate rules measures each rule by itself`];
}

const fewestValTasks = 12;

const reasonsForStrict = ({ val, tasks, severalChecks }: Omit<TaskFacts, "train">): readonly string[] => [
  ...(val < fewestValTasks ? [`val has ${val} of the ${fewestValTasks} tasks that rules needs`] : []),
  ...(2 * severalChecks > tasks ? [`${severalChecks} of ${tasks} tasks have several checks`] : []),
];
