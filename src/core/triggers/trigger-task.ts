import { allTasks } from "../tasks/few-tasks.ts";
import { WhetstoneError } from "../errors.ts";
import type { TrainSettings } from "../settings.ts";
import type { Splits, Task } from "../tasks/task.ts";

/** Whether the skill should be loaded for the task's request; undefined for other tasks. */
export function wantsTrigger({ checks = [] }: Task): boolean | undefined {
  const [check, second] = checks;
  if (check?.kind !== "trigger" || second !== undefined) return undefined;
  return typeof check.value === "boolean" ? check.value : undefined;
}

/** The description track trains only on trigger tasks, of both kinds; the body track on everything else. */
export function checkTrack(splits: Splits, track: TrainSettings["track"]): void {
  const tasks = allTasks(splits);
  if (track === "body") {
    const asks = ({ checks = [] }: Task) => checks.some(({ kind }) => kind === "trigger");
    const trigger = tasks.find(asks);
    if (trigger === undefined) return;
    throw refuse(
      `Task ${trigger.id} asks whether the skill is loaded, but the body track only trains what it does after that.`,
      "Train the description on it with --track description, or remove such tasks.",
    );
  }
  const other = tasks.find((task) => wantsTrigger(task) === undefined);
  if (other !== undefined) {
    throw refuse(
      `Task ${other.id} isn't a trigger task, and the description track only trains on those.`,
      'Use tasks with `"checks": [{ "kind": "trigger", "value": true }]` (or false), or a trigger set of `{ "query", "should_trigger" }`.',
    );
  }
  for (const name of ["val", "test"] as const) {
    const wanted = new Set(splits[name].map(wantsTrigger));
    if (wanted.size !== 1) continue;
    const [all, none] = wanted.has(true) ? ["should", "always"] : ["should not", "never"];
    throw refuse(
      `Every ${name} task ${all} load the skill, so a description that ${none} does would look perfect.`,
      "Add requests of the other kind: near misses that a neighbouring skill should get, or real uses.",
    );
  }
}

const refuse = (problem: string, hint: string): WhetstoneError =>
  new WhetstoneError("tasks-invalid", problem, { hint });
