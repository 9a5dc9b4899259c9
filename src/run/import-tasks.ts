import { existsSync } from "node:fs";
import { join } from "node:path";
import { importTasks, type ImportOptions } from "../adapters/importers/import-tasks.ts";
import type { Imported } from "../adapters/importers/imported.ts";
import { WhetstoneError } from "../core/errors.ts";
import type { Task } from "../core/tasks/task.ts";
import { writeFileAtomic } from "../adapters/atomic-file.ts";

export interface ImportAndWriteOptions extends ImportOptions {
  /** The file for our own JSONL; for tasks in splits, a folder with one file per split. */
  readonly out?: string;
  /** Whether an existing file may be replaced. @default false */
  readonly force?: boolean;
}

export interface ImportedAndWritten extends Imported {
  /** Ids of tasks that can't be scored. */
  readonly invalid: readonly string[];
  readonly written: readonly string[];
}

/** Reads tasks of any format and writes them in ours. Nothing is lost: fields that weren't understood are kept. */
export async function importAndWrite(
  path: string,
  { out, force = false, ...options }: ImportAndWriteOptions,
): Promise<ImportedAndWritten> {
  const imported = await importTasks(path, options);
  const { tasks, splits, notUnderstood } = imported;
  const outputs =
    out === undefined
      ? []
      : splits === undefined
        ? [[out, printTasks(tasks)] as const]
        : partsOf(out, splits);
  const there = outputs.find(([file]) => existsSync(file));
  if (there !== undefined && !force)
    throw new WhetstoneError("usage", `${there[0]} already exists.`, {
      hint: "Choose another name, or replace it with --force.",
    });
  for (const [file, text] of outputs) {
    await writeFileAtomic(file, text);
  }
  const refused = new Set(
    notUnderstood.flatMap(({ where, effect }) => (effect === "invalid" ? [where] : [])),
  );
  return {
    ...imported,
    invalid: tasks.map(({ id }) => id).filter((id) => refused.has(id)),
    written: outputs.map(([file]) => file),
  };
}

const partsOf = (
  folder: string,
  splits: NonNullable<Imported["splits"]>,
): readonly (readonly [string, string])[] =>
  Object.entries(splits)
    .filter(([, tasks]) => tasks.length > 0)
    .map(([split, tasks]) => [join(folder, `${split}.jsonl`), printTasks(tasks)]);

const printTasks = (tasks: readonly Task[]): string =>
  tasks.map((task) => `${JSON.stringify(task)}\n`).join("");
