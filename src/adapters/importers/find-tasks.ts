import { basename, dirname, extname, join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import type { SplitName } from "../../core/tasks/task.ts";
import { meantPath } from "../meant-path.ts";
import { isThere, kindAt, listProjectFolder } from "../project-file.ts";
import { type FoundSuite, findSuite } from "./find-suite.ts";
import { tasksInvalid } from "./shape.ts";

export type SplitNames = Readonly<Partial<Record<SplitName, string | undefined>>>;

export type FoundTasks =
  | {
      readonly kind: "file";
      readonly path: string /** Other task files in the folder that weren't chosen. */;
      readonly others: readonly string[];
    }
  | { readonly kind: "splits"; readonly paths: Readonly<Partial<Record<SplitName, string>>> }
  | { readonly kind: "suite"; readonly suite: FoundSuite };

/** A suite's case may be named by its own file. */
const caseFiles = new Set(["case.yaml", "prompt.md"]);

const aliases: Readonly<Record<SplitName, readonly string[]>> = {
  train: ["train", "replay"],
  val: ["val", "holdout", "valid_seen"],
  test: ["test"],
};

/** Finds tasks at a path: a file, a folder's or a skill's `evals` file, a folder of splits, or a suite of folders. */
export function findTasks(path: string, splitNames: SplitNames = {}, named: string = path): FoundTasks {
  const found = kindAt(path);
  const isFolder = found === "folder";
  if (found === undefined) {
    throw new WhetstoneError("not-found", `No tasks found at ${path}.`, {
      hint: `${meantPath(path)}Name a task file (.jsonl, .json, .yaml, .csv), or a folder with train, val and test.`,
    });
  }
  if (!isFolder && !caseFiles.has(basename(path))) return { kind: "file", path, others: [] };
  const folder = isFolder ? path : dirname(path);
  const isOneFile = ["evals.json", "evals/evals.json"].some((name) => isThere(join(folder, name)));
  const suite = isOneFile ? undefined : findSuite(folder);
  if (suite !== undefined) return { kind: "suite", suite };
  if (!isFolder) return { kind: "file", path, others: [] };
  const paths = findSplits(path, splitNames, named);
  if (Object.keys(paths).length > 0) return { kind: "splits", paths };
  const evals = join(path, "evals");
  const isSkill = isThere(join(path, "SKILL.md")) && isThere(evals);
  return isSkill ? findTasks(evals, splitNames, named) : findFile(path, named);
}

function findSplits(path: string, splitNames: SplitNames, named: string): Partial<Record<SplitName, string>> {
  const entries = listProjectFolder(path, named);
  const paths: Partial<Record<SplitName, string>> = {};
  for (const split of ["train", "val", "test"] as const) {
    const names = splitNames[split] === undefined ? aliases[split] : [splitNames[split]];
    const parts = entries.filter((entry) =>
      names.includes(entry.kind === "folder" ? entry.name : stem(entry.name)),
    );
    if (parts.length > 1) {
      const both = parts.map(({ name }) => name).join(" and ");
      throw tasksInvalid(`${path}: ${both} are both the ${split} split.`, "Keep one of them.");
    }
    if (parts[0] !== undefined) paths[split] = join(path, parts[0].name);
  }
  return paths;
}

/** File names that show which of several files contains the tasks. */
const telling = /^(?:evals\.json|promptfooconfig\.(?:ya?ml|json)|tasks\.\w+)$/;

/** A folder's only task file, or the one whose name says so. */
export function findFile(folder: string, named: string): FoundTasks & { readonly kind: "file" } {
  const files = listProjectFolder(folder, named)
    .filter(({ kind, name }) => kind === "file" && taskFile.test(name) && !otherFile.test(name))
    .map(({ name }) => name);
  const told = files.filter((name) => telling.test(name));
  const [only, second] = told.length === 1 ? told : files;
  if (only === undefined || second !== undefined) {
    const what = only === undefined ? "no task file" : `${files.length} task files but no train, val or test`;
    throw tasksInvalid(
      `The folder ${folder} contains ${what}.`,
      "Put one .jsonl, .json, .yaml or .csv file into it, or train, val and test (each a file or a folder with one).",
    );
  }
  return {
    kind: "file",
    path: join(folder, only),
    others: files.filter((name) => name !== only).map((name) => join(folder, name)),
  };
}

const taskFile = /\.(?:json|jsonl|ndjson|ya?ml|csv|tsv)$/;
const otherFile = /^(?:\..*|whetstone\.config\.\w+|package(?:-lock)?\.json|tsconfig.*\.json)$/;

const stem = (name: string): string => (taskFile.test(name) ? basename(name, extname(name)) : "");
