import { disjointSets } from "./disjoint-sets.ts";
import { findNearDuplicates } from "./near-duplicates.ts";
import { oncePerTask } from "./once-per-task.ts";
import type { Task } from "./task.ts";

/** Numbers each task's unit. Tasks of one group and near-duplicates were sampled together, so they count as one. */
export function unitsOf(tasks: readonly Task[]): readonly number[] {
  const [first] = tasks;
  if (first === undefined) return [];
  const lists = listsFrom(first);
  const known = lists.find(
    (one) => one.tasks.length === tasks.length && one.tasks.every((task, at) => task === tasks[at]),
  );
  const units = known?.units ?? findUnits(tasks);
  if (known === undefined) lists.push({ tasks: [...tasks], units });
  return units;
}

/** Cached because a run asks for the units of the same few lists again and again, and long inputs take time to read. */
const listsFrom = oncePerTask(
  (): { readonly tasks: readonly Task[]; readonly units: readonly number[] }[] => [],
);

function findUnits(tasks: readonly Task[]): readonly number[] {
  const sets = disjointSets(tasks.length);
  const firstOfGroup = new Map<string, number>();
  for (const [at, { group }] of tasks.entries()) {
    if (group === undefined) continue;
    const first = firstOfGroup.get(group);
    if (first === undefined) firstOfGroup.set(group, at);
    else sets.join(first, at);
  }
  for (const { first, second } of findNearDuplicates(tasks)) sets.join(first, second);
  return tasks.map((_, at) => sets.find(at));
}

/** The tasks of each unit, ordered by their first task. */
export function clusterTasks(tasks: readonly Task[]): readonly (readonly Task[])[] {
  const units = unitsOf(tasks);
  return [...Map.groupBy(tasks.keys(), (at) => units[at] ?? at).values()].map((own) =>
    own.flatMap((at) => tasks[at] ?? []),
  );
}
