import { dirname, extname, join } from "node:path";
import { writeFileAtomic } from "../adapters/atomic-file.ts";
import { findTasks } from "../adapters/importers/find-tasks.ts";
import { isThere, readProjectText } from "../adapters/project-file.ts";
import { isObject } from "../core/json.ts";
import type { Task } from "../core/tasks/task.ts";

/**
 * Adds tasks that a person has read to the file that a config names, in that file's own format, and returns its path. If the
 * format can't be written, the tasks go into `more-tasks.jsonl` next to it.
 */
export async function addTasks(named: string, tasks: readonly Task[]): Promise<string> {
  const found = findTasks(named);
  const file = found.kind === "file" ? found.path : undefined;
  const written = file && withTasks(readProjectText(file), extname(file), tasks);
  if (file !== undefined && written !== undefined) {
    await writeFileAtomic(file, written);
    return file;
  }
  const folder = file !== undefined ? dirname(file) : found.kind === "suite" ? found.suite.root : named;
  const other = join(folder, "more-tasks.jsonl");
  await writeFileAtomic(other, appended(isThere(other) ? readProjectText(other) : "", tasks));
  return other;
}

/** Undefined for formats that aren't written back: CSV, YAML, another tool's suite. */
function withTasks(text: string, kind: string, tasks: readonly Task[]): string | undefined {
  if (kind === ".jsonl") return appended(text, tasks);
  if (kind !== ".json") return undefined;
  const data: unknown = JSON.parse(text);
  const indent = /^\s*[[{]\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  const write = (value: unknown) => `${JSON.stringify(value, null, indent)}\n`;
  if (Array.isArray(data)) return write([...data, ...tasks]);
  if (!isObject(data)) return undefined;
  const { evals, tasks: rows } = data;
  if (Array.isArray(evals)) return write({ ...data, evals: [...evals, ...tasks.map(asEval)] });
  return Array.isArray(rows) ? write({ ...data, tasks: [...rows, ...tasks] }) : undefined;
}

const appended = (text: string, tasks: readonly Task[]): string =>
  `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${tasks.map((task) => `${JSON.stringify(task)}\n`).join("")}`;

/** In the format of skill-creator. */
const asEval = ({ input, checks = [], ...rest }: Task) => ({
  ...rest,
  prompt: input,
  ...(checks.length === 0 ? {} : { expectations: checks.map(({ value }) => value) }),
});
