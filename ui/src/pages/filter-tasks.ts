import type { TaskFlag, TaskReport } from "../../../src/report/model.ts";

export interface TaskFilter {
  readonly search: string;
  /** Matches any of them; an empty list matches all. */
  readonly splits: readonly TaskReport["split"][];
  /** Matches any of them; an empty list matches all. */
  readonly flags: readonly TaskFlag[];
}

export const flagWords: Readonly<Record<TaskFlag, { readonly word: string; readonly meaning: string }>> = {
  regressed: { word: "regressed", meaning: "passed more often with the original than with the best skill" },
  improved: { word: "improved", meaning: "passes more often with the best skill than with the original" },
  flaky: { word: "flaky", meaning: "sometimes passes and sometimes fails with the same skill" },
  "always-fails": { word: "always fails", meaning: "failed in every rollout" },
  "always-passes": { word: "always passes", meaning: "passed in every rollout" },
};

/** The flags that people most likely look for come first. */
export const flagOrder: readonly TaskFlag[] = [
  "regressed",
  "improved",
  "flaky",
  "always-fails",
  "always-passes",
];

/** A task's flags in that order. */
export const flagsOf = ({ flags }: Pick<TaskReport, "flags">): readonly TaskFlag[] =>
  flagOrder.filter((flag) => flags.includes(flag));

/** The tasks that need a look come first, then by name. */
export function filterTasks(tasks: readonly TaskReport[], filter: TaskFilter): readonly TaskReport[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  return tasks
    .filter(
      (task) =>
        (filter.splits.length === 0 || filter.splits.includes(task.split)) &&
        (filter.flags.length === 0 || filter.flags.some((flag) => task.flags.includes(flag))) &&
        holds(task, words),
    )
    .toSorted((a, b) => rankOf(a) - rankOf(b) || names.compare(a.id, b.id));
}

/** How many tasks carry each flag. */
export function countFlags(tasks: readonly TaskReport[]): Readonly<Record<TaskFlag, number>> {
  const counts = { regressed: 0, improved: 0, flaky: 0, "always-fails": 0, "always-passes": 0 };
  for (const { flags } of tasks) for (const flag of flags) counts[flag] += 1;
  return counts;
}

function holds({ id, input }: TaskReport, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${id} ${input}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

const names = new Intl.Collator("en", { numeric: true });

/** A task's name as a key that sorts `task-9` before `task-10`. */
export const nameKey = ({ id }: Pick<TaskReport, "id">): string =>
  id.replaceAll(/\d+/g, (digits) => digits.padStart(12, "0"));

/** Lower ranks need a look first. */
export const rankOf = ({ flags }: TaskReport): number =>
  Math.min(flagOrder.length, ...flags.map((flag) => flagOrder.indexOf(flag)));
