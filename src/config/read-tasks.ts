import { readFile, readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import { checkSplits } from "../core/tasks/check-splits.ts";
import { parseTasks } from "../core/tasks/parse-tasks.ts";
import { type SplitRatio, splitTasks } from "../core/tasks/split.ts";
import type { SplitName, Splits, Task } from "../core/tasks/task.ts";
import type { Config } from "./schema.ts";

export interface ReadTasksOptions {
  readonly seed: number;
  readonly ratio?: SplitRatio | undefined;
  readonly splitNames?: Config["splitNames"];
  /** Whether a task must carry answers or checks; a custom environment scores by itself. */
  readonly needsScoring: boolean;
}

/** Reads tasks, divided as they are or else by ratio, and refuses splits that cannot give a fair verdict. */
export async function readTasks(
  tasks: NonNullable<Config["tasks"]>,
  options: ReadTasksOptions,
): Promise<Splits> {
  const splits = await readSplits(tasks, options);
  checkSplits(splits);
  return splits;
}

async function readSplits(tasks: NonNullable<Config["tasks"]>, options: ReadTasksOptions): Promise<Splits> {
  if (typeof tasks === "string") {
    const found = await findTasks(tasks, options.splitNames);
    if (found.kind === "list") return divide(await readList(found.path, options), options);
    return readParts(found.paths, options);
  }
  if (isList(tasks)) return divide(parse(tasks, "tasks", options), options);
  return readParts(tasks, options);
}

type Parts = Readonly<Partial<Record<SplitName, string | readonly unknown[] | undefined>>>;

async function readParts(parts: Parts, options: ReadTasksOptions): Promise<Splits> {
  if (options.ratio !== undefined) {
    throw new WhetstoneError(
      "config-invalid",
      "The tasks are divided already, so a split ratio has no meaning.",
      {
        hint: "Remove the ratio, or give the tasks as one list.",
      },
    );
  }
  const read = async (name: SplitName): Promise<readonly Task[]> => {
    const part = parts[name];
    if (part === undefined) return [];
    return typeof part === "string" ? readList(part, options) : parse(part, `tasks.${name}`, options);
  };
  return { train: await read("train"), val: await read("val"), test: await read("test") };
}

const isList = (tasks: unknown): tasks is readonly unknown[] => Array.isArray(tasks);

const divide = (tasks: readonly Task[], { seed, ratio }: ReadTasksOptions): Splits =>
  splitTasks(tasks, { seed, ...(ratio === undefined ? {} : { ratio }) }).splits;

const parse = (rows: unknown, source: string, { needsScoring }: ReadTasksOptions): readonly Task[] =>
  parseTasks(rows, source, { needsScoring });

type Found =
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "parts"; readonly paths: Readonly<Partial<Record<SplitName, string>>> };

const aliases: Readonly<Record<SplitName, readonly string[]>> = {
  train: ["train", "replay"],
  val: ["val", "holdout", "valid_seen"],
  test: ["test"],
};

async function findTasks(path: string, splitNames: Config["splitNames"]): Promise<Found> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new WhetstoneError("not-found", `There are no tasks at ${path}.`, {
      hint: "Name a .jsonl or .json file, or a folder with train, val and test.",
    });
  }
  if (!found.isDirectory()) return { kind: "list", path };
  const entries = await readdir(path, { withFileTypes: true });
  const paths: Partial<Record<SplitName, string>> = {};
  for (const split of ["train", "val", "test"] as const) {
    const names = splitNames?.[split] === undefined ? aliases[split] : [splitNames[split]];
    const parts = entries.filter((entry) =>
      names.includes(entry.isDirectory() ? entry.name : stem(entry.name)),
    );
    if (parts.length > 1) {
      const both = parts.map(({ name }) => name).join(" and ");
      throw new WhetstoneError("tasks-invalid", `${path}: ${both} are both the ${split} split.`, {
        hint: "Keep one of them.",
      });
    }
    if (parts[0] !== undefined) paths[split] = join(path, parts[0].name);
  }
  if (Object.keys(paths).length > 0) return { kind: "parts", paths };
  return { kind: "list", path };
}

/** One file, or the only task file of a folder. */
async function readList(path: string, options: ReadTasksOptions): Promise<readonly Task[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new WhetstoneError("not-found", `There are no tasks at ${path}.`, {
      hint: "Name a .jsonl or .json file.",
    });
  }
  if (!found.isDirectory()) return parse(await readRows(path), path, options);
  const files = (await readdir(path)).filter((name) => taskFile.test(name)).toSorted();
  const [only, second] = files;
  if (only === undefined || second !== undefined) {
    const what =
      only === undefined ? "no .json or .jsonl file" : `${files.length} task files and no train, val or test`;
    throw new WhetstoneError("tasks-invalid", `The folder ${path} holds ${what}.`, {
      hint: "Put one file into it, or train, val and test (each a file or a folder with one).",
    });
  }
  return parse(await readRows(join(path, only)), join(path, only), options);
}

const taskFile = /\.(?:json|jsonl|ndjson)$/;

const stem = (name: string): string => (taskFile.test(name) ? basename(name, extname(name)) : "");

async function readRows(path: string): Promise<unknown> {
  const content = (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  if (extname(path) !== ".jsonl" && extname(path) !== ".ndjson") {
    const parsed = parseJson(content, path);
    return typeof parsed === "object" && parsed !== null && "tasks" in parsed ? parsed.tasks : parsed;
  }
  return content
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [parseJson(line, `${path}, line ${at + 1}`)]));
}

function parseJson(content: string, place: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new WhetstoneError("tasks-invalid", `${place} is not JSON: ${(error as Error).message}.`, {
      hint: "Correct it there, or write one JSON object per line into a .jsonl file.",
    });
  }
}
