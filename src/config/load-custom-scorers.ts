import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import type { CustomScorer } from "../core/scorers/score-task.ts";
import { setMembers } from "../core/scorers/set-members.ts";
import type { Check, Task } from "../core/tasks/task.ts";
import { importModule } from "./import-module.ts";

/** The functions that `custom` checks name, `./file.ts#name` from this folder. */
export async function loadCustomScorers(
  tasks: readonly Task[],
  folder: string,
): Promise<ReadonlyMap<string, CustomScorer>> {
  const names = new Set(tasks.flatMap(({ checks = [] }) => customNames(checks)));
  const scorers = new Map<string, CustomScorer>();
  for (const name of names) scorers.set(name, await loadScorer(name, folder));
  return scorers;
}

function customNames(checks: readonly Check[]): readonly string[] {
  return checks.flatMap((check) => {
    const { kind, value } = check;
    return kind === "custom" && typeof value === "string" ? [value] : customNames(setMembers(check));
  });
}

async function loadScorer(place: string, folder: string): Promise<CustomScorer> {
  const [path = "", name = "default"] = place.split("#", 2);
  const file = resolve(folder, path);
  if (!existsSync(file)) {
    throw new WhetstoneError("not-found", `There is no file ${file}, which a custom check names.`, {
      hint: "Write the check's value as ./file.ts#name, from the folder of the config file.",
    });
  }
  const module = await importModule(file);
  const found = module[name];
  if (typeof found === "function") return found as CustomScorer;
  throw new WhetstoneError(
    "config-invalid",
    `${path} exports no function called "${name}" (it exports ${Object.keys(module).join(", ") || "nothing"}).`,
    { hint: "Export (task, performance) => number | boolean | { score, reason }." },
  );
}
