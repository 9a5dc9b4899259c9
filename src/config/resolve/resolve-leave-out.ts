import { WhetstoneError } from "../../core/errors.ts";
import { meant } from "../../core/nearest-word.ts";
import { allTasks } from "../../core/tasks/few-tasks.ts";
import { type Splits, splitNames, type Task } from "../../core/tasks/task.ts";
import { waivableNames } from "../../core/scorers/try-degenerate.ts";

/** Ids of the tasks to skip. Each entry is one id, or several separated by commas. */
export function resolveLeaveOut(given: readonly string[], splits: Splits): readonly string[] {
  const known = new Set(allTasks(splits).map(({ id }) => id));
  const ids = [...new Set(given.flatMap((entry) => (known.has(entry) ? entry : entry.split(","))))];
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new WhetstoneError("config-invalid", `"leaveOut" names "${unknown}", but there's no such task.`, {
      hint: meant(unknown, [...known], "Name tasks by their ids, as the error did."),
    });
  }
  const emptied = splitNames.find(
    (name) => splits[name].length > 0 && splits[name].every(({ id }) => ids.includes(id)),
  );
  if (emptied !== undefined)
    throw new WhetstoneError("config-invalid", `"leaveOut" names every ${emptied} task.`, {
      hint: "Leave out fewer tasks, or run it again once the provider answers.",
    });
  return ids;
}

/** The checks to keep anyway. A name that matches none of them is a mistake. */
export function resolveWaive(waive: readonly string[], tasks: readonly Task[]): readonly string[] {
  if (waive.length === 0 || tasks.length === 0) return waive;
  const known = waivableNames(tasks);
  const unknown = waive.find((name) => !known.has(name));
  if (unknown === undefined) return waive;
  const short = [...known].filter((name) => !name.includes(":"));
  const list = `Known checks: ${short.join(", ")}. For one task only, write ${short[0] ?? "contains"}:<task id>.`;
  const problem = `"waive" names "${unknown}", but these tasks have no such check.`;
  const hint = meant(unknown, unknown.includes(":") ? [...known] : short, list);
  throw new WhetstoneError("config-invalid", problem, { hint });
}
