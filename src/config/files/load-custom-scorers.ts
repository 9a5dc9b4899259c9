import { readPlainText } from "../../adapters/read-plain-file.ts";
import { isThere } from "../../adapters/project-file.ts";
import { resolve } from "node:path";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { CustomScorer } from "../../core/scorers/performance.ts";
import { checksIn } from "../../core/scorers/uses-kind.ts";
import type { Task } from "../../core/tasks/task.ts";
import { importModule } from "../import-module.ts";
import { own } from "../../core/own.ts";

/** Functions given in code, by name. */
export type GivenScorers = Readonly<Record<string, CustomScorer>>;

/** The functions that `custom` checks name: given in code, or as `./file.ts#name` relative to this folder. */
export async function loadCustomScorers(
  tasks: readonly Task[],
  folder: string,
  given: GivenScorers = {},
): Promise<ReadonlyMap<string, CustomScorer>> {
  return loadNamedScorers(namesIn(tasks), folder, given);
}

export async function loadNamedScorers(
  names: readonly string[],
  folder: string,
  given: GivenScorers = {},
): Promise<ReadonlyMap<string, CustomScorer>> {
  const scorers = new Map<string, CustomScorer>();
  for (const name of names) scorers.set(name, own(given, name) ?? (await loadScorer(name, folder, given)));
  return scorers;
}

/** The files that contain those functions. */
export const scorerFiles = (
  tasks: readonly Task[],
  folder: string,
  given: GivenScorers = {},
): readonly string[] => [
  ...new Set(
    namesIn(tasks)
      .filter((name) => own(given, name) === undefined)
      .map((place) => resolve(folder, fileOf(place))),
  ),
];

/** Hashes of those files and of functions' source, by the name tasks use. An edited scorer is a different scorer. */
export async function hashScorers(
  tasks: readonly Task[],
  folder: string,
  given: GivenScorers = {},
): Promise<Readonly<Record<string, string>>> {
  const files = new Set(namesIn(tasks).map(fileOf));
  const hashes = [...files].map(async (file) => {
    const source = own(given, file)?.toString() ?? (await readPlainText(resolve(folder, file)));
    return [file, hashText(source).slice(0, 16)];
  });
  return Object.fromEntries(await Promise.all(hashes));
}

const namesIn = (tasks: readonly Task[]): readonly string[] => [
  ...new Set(
    tasks.flatMap(({ checks = [] }) =>
      checksIn(checks).flatMap(({ kind, value }) =>
        kind === "custom" && typeof value === "string" ? [value] : [],
      ),
    ),
  ),
];

const fileOf = (place: string): string => place.split("#", 1)[0] ?? "";

async function loadScorer(place: string, folder: string, given: GivenScorers): Promise<CustomScorer> {
  const path = fileOf(place);
  const name = place.slice(path.length + 1) || "default";
  const file = resolve(folder, path);
  if (!isThere(file)) {
    const names = Object.keys(given);
    throw new WhetstoneError("not-found", `A custom check names ${file}, which doesn't exist.`, {
      hint: `Write the check's value as ./file.ts#name, relative to the current directory${names.length === 0 ? ", or give the function in code as scorers: { name }" : `, or as one of the scorers given in code: ${names.join(", ")}`}.`,
    });
  }
  const module = await importModule(file);
  const found = module[name];
  if (typeof found === "function") return found as CustomScorer;
  throw new WhetstoneError(
    "config-invalid",
    `${path} doesn't export a function "${name}" (it exports ${Object.keys(module).join(", ") || "nothing"}).`,
    { hint: "Export (task, performance) => number | boolean | { score, reason }." },
  );
}
