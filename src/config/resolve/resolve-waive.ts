import { WhetstoneError } from "../../core/errors.ts";
import { nearestWord } from "../../core/nearest-word.ts";
import { waivableNames } from "../../core/scorers/try-degenerate.ts";
import type { Task } from "../../core/tasks/task.ts";

/** The checks that a person wants to count in spite of all; a name that waives nothing is a mistake. */
export function resolveWaive(waive: readonly string[], tasks: readonly Task[]): readonly string[] {
  if (waive.length === 0 || tasks.length === 0) return waive;
  const known = waivableNames(tasks);
  const unknown = waive.find((name) => !known.has(name));
  if (unknown === undefined) return waive;
  const short = [...known].filter((name) => !name.includes(":"));
  const nearest = nearestWord(unknown, unknown.includes(":") ? [...known] : short);
  throw new WhetstoneError(
    "config-invalid",
    `"waive" names "${unknown}", and no check of these tasks is called so.`,
    {
      hint:
        nearest === undefined
          ? `Known are ${short.join(", ")}, each also of one task, as ${short[0] ?? "contains"}:<task id>.`
          : `Did you mean "${nearest}"?`,
    },
  );
}
