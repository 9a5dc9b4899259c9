import { resolve } from "node:path";
import { kindAt, readProjectText } from "../project-file.ts";
import { parseTasks } from "../../core/tasks/parse-tasks.ts";
import { checkTask } from "../../core/scorers/score-task.ts";
import type { SplitName, Task } from "../../core/tasks/task.ts";
import { readCsvRows } from "./csv-rows.ts";
import { detectFormat, unwrapRows } from "./detect-format.ts";
import { readEvalsJson } from "./evals-json.ts";
import { findFile, findTasks, type SplitNames } from "./find-tasks.ts";
import {
  type Imported,
  type Importer,
  type ImportFormat,
  type NotUnderstood,
  type Notes,
  takeNotes,
} from "./imported.ts";
import { readOpenaiEvals } from "./openai-evals.ts";
import { parseSource } from "./parse-source.ts";
import { readPromptfoo } from "./promptfoo.ts";
import { readPluginEval } from "./plugin-eval.ts";
import { tasksInvalid } from "./shape.ts";
import { readSkillOptRows } from "./skillopt-rows.ts";
import { readTriggerSet } from "./trigger-set.ts";

export interface ImportOptions {
  /** @default detected from the content */
  readonly format?: ImportFormat;
  /** Whether each task needs its own checks or answers. A custom environment scores tasks itself. @default true */
  readonly needsScoring?: boolean;
  /** The names of a folder's splits. @default train | replay, val | holdout | valid_seen, test */
  readonly splitNames?: SplitNames;
  /** A prefix for generated ids. @default "" */
  readonly idPrefix?: string;
  /** Assert types to leave out of a suite. @default none */
  readonly drop?: readonly string[] | undefined;
}

/**
 * Reads tasks in any known format and reports how much of it was understood.
 *
 * @example
 * const { tasks, notUnderstood } = await importTasks("./promptfooconfig.yaml");
 * console.log(tasks.length, notUnderstood);
 */
export async function importTasks(path: string, options: ImportOptions = {}): Promise<Imported> {
  const found = findTasks(path, options.splitNames);
  const notes = takeNotes(options.drop);
  if (found.kind === "suite") {
    const { suite } = found;
    const rows = await readPluginEval(suite, notes, path);
    const tasks = parseTasks(rows, suite.root, { needsScoring: false });
    return { format: "plugin-eval", tasks, ...conclude(tasks, notes, options) };
  }
  if (found.kind === "file") {
    const { format, tasks } = await importFile(found.path, path, options.idPrefix ?? "", notes, options);
    for (const other of found.others)
      if (!notes.files.has(resolve(other))) notes.ignore(other, "another file next to the tasks");
    return { format, tasks, ...conclude(tasks, notes, options) };
  }
  const splits: Record<SplitName, readonly Task[]> = { train: [], val: [], test: [] };
  let format: ImportFormat = "whetstone";
  for (const [name, part] of Object.entries(found.paths)) {
    const split = name as SplitName;
    const file = kindAt(part) === "folder" ? findFile(part, path).path : part;
    const read = await importFile(file, path, `${split}-`, notes, options);
    notes.understand(`task in the ${split} split`, read.tasks.length);
    splits[split] = read.tasks;
    format = read.format;
  }
  const tasks = [...splits.train, ...splits.val, ...splits.test];
  return { format, tasks, splits, ...conclude(tasks, notes, options) };
}

async function importFile(
  path: string,
  named: string,
  idPrefix: string,
  notes: Notes,
  { format: given, needsScoring = true }: ImportOptions,
): Promise<{ readonly format: ImportFormat; readonly tasks: readonly Task[] }> {
  notes.read(resolve(path));
  const parsed = parseSource(readProjectText(path, { named }), path);
  const format = given ?? detectFormat(parsed);
  const data = unwrapRows(parsed.data, format);
  if (format === "whetstone") {
    const tasks = parseTasks(data, path, { needsScoring, idPrefix });
    for (const { answers, checks = [] } of tasks) {
      if (answers !== undefined) notes.understand("answers");
      for (const { kind } of checks) notes.understand(`check ${kind}`);
    }
    return { format, tasks };
  }
  const rows = await importers[format]({ path, data, idPrefix, notes });
  return { format, tasks: parseTasks(rows, path, { needsScoring: false }) };
}

/** A suite is a folder, so a single file can't be one. */
const notAFile: Importer = ({ path }) => {
  throw tasksInvalid(
    `${path} is a file, but cases in that format are folders.`,
    "Name the folder that contains them.",
  );
};

const importers: Readonly<Record<Exclude<ImportFormat, "whetstone">, Importer>> = {
  "evals-json": readEvalsJson,
  trigger: readTriggerSet,
  promptfoo: readPromptfoo,
  csv: readCsvRows,
  "openai-evals": readOpenaiEvals,
  skillopt: readSkillOptRows,
  "plugin-eval": notAFile,
};

/** Everything the importers refused, plus whatever scoring would refuse. */
function conclude(
  tasks: readonly Task[],
  notes: Notes,
  { needsScoring = true, drop = [] }: ImportOptions,
): Pick<Imported, "understood" | "notUnderstood" | "files"> {
  for (const type of drop)
    if (!notes.notUnderstood.some(({ what }) => what === `${type}, dropped`))
      notes.ignore("--drop", `${type}: no assert has this type`);
  const refused = new Set(
    notes.notUnderstood.flatMap(({ where, effect }) => (effect === "invalid" ? [where] : [])),
  );
  const broken = tasks.flatMap((task): NotUnderstood[] => {
    const problem = needsScoring && !refused.has(task.id) ? checkTask(task) : undefined;
    return problem === undefined ? [] : [{ where: task.id, what: problem, effect: "invalid" }];
  });
  return {
    understood: notes.understood(),
    notUnderstood: [...notes.notUnderstood, ...broken],
    files: [...notes.files],
  };
}
