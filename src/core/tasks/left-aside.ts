import type { Task } from "./task.ts";

/** The asserts that an import skipped, with the number of tasks that don't use each: `latency (12 tasks)`. */
export function leftAsideOf(tasks: readonly Task[]): readonly string[] {
  const types = tasks.flatMap(({ metadata }) => [metadata?.["leftAside"] ?? []].flat().map(String));
  const counted = Map.groupBy(types, (type) => type);
  return [...counted].map(([type, { length }]) => `${type} (${length} ${length === 1 ? "task" : "tasks"})`);
}
