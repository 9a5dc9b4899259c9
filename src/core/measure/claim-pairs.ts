import { type ClaimPair, type Trial, isFinished } from "../gate/claim/claim-pair.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Task } from "../tasks/task.ts";

type Scores = readonly (readonly Trial[])[];

/** Pairs the trials of two arms: one pair per task, with its unit, its weight, and whether it was left out. */
export function claimPairs(
  tasks: readonly Task[],
  incumbent: Scores,
  candidate: Scores,
  leftOut: ReadonlySet<string> = new Set(),
): readonly ClaimPair[] {
  const units = unitsOf(tasks);
  return tasks.map(({ id, weight }, index) => ({
    incumbent: incumbent[index] ?? [],
    candidate: candidate[index] ?? [],
    unit: units[index] ?? index,
    weight,
    ...(leftOut.has(id) ? { leftOut: true } : {}),
  }));
}

/** The kinds of tasks that a verdict examines separately: their `type`, or their `group` if no task has a type. */
export function namedGroups(tasks: readonly Task[]): { readonly groups?: readonly string[] } {
  const named = (field: "type" | "group") => tasks.map((task) => task[field] ?? "");
  const groups = [named("type"), named("group")].find((names) => names.some((name) => name !== ""));
  return groups === undefined ? {} : { groups };
}

/** Ids of the tasks without all their results: those that a person left out, and those that may still arrive. */
export function unfinished(
  pairs: readonly ClaimPair[],
  tasks: readonly string[],
): { readonly leftOut: readonly string[]; readonly missing: readonly string[] } {
  const idsOf = (isWanted: boolean) =>
    pairs.flatMap((pair, task) =>
      isFinished(pair) || (pair.leftOut === true) !== isWanted ? [] : (tasks[task] ?? []),
    );
  return { leftOut: idsOf(true), missing: idsOf(false) };
}
