import { importTasks } from "../../adapters/importers/import-tasks.ts";
import type { Imported } from "../../adapters/importers/imported.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { ended } from "../../core/one-line.ts";
import { checkTask } from "../../core/scorers/score-task.ts";
import { checkSplits } from "../../core/tasks/check-splits.ts";
import { divideReviewed, dropDraftGates } from "../../core/tasks/drafts.ts";
import { parseTasks } from "../../core/tasks/parse-tasks.ts";
import { sharedSentence } from "../../core/plan-words.ts";
import { isShared, lackingForTest, shareTasks } from "../../core/tasks/few-tasks.ts";
import { type Sides, type SplitRatio, splitTasks } from "../../core/tasks/split.ts";
import type { SplitName, Splits, Task } from "../../core/tasks/task.ts";
import { listIds } from "../../core/verdict-words.ts";
import { scorerFiles } from "./load-custom-scorers.ts";
import type { Config } from "../schema.ts";

export interface ReadTasksOptions {
  readonly seed: number;
  readonly ratio?: SplitRatio;
  /** The splits that earlier runs put tasks in. */
  readonly seen?: Sides;
  readonly splitNames?: Config["splitNames"];
  /** Whether a task needs answers or checks. A custom environment scores by itself. */
  readonly needsScoring: boolean;
  /** Leaves out tasks that can't be scored, instead of refusing all of them. @default false */
  readonly skipInvalid?: boolean;
  /** Assert types to leave out of suites. */
  readonly drop?: readonly string[] | undefined;
  /** Called with the tasks that were left out. */
  readonly onSkip?: (sentence: string) => void;
}

type GivenTasks = NonNullable<Config["tasks"]>;

/** Reads tasks in any format, splits them if they aren't split yet, and refuses splits that can't be judged fairly. */
export async function readTasks(tasks: GivenTasks, options: ReadTasksOptions): Promise<Splits> {
  const splits = dropDraftGates(await readSplits(tasks, options));
  checkSplits(splits);
  return splits;
}

/** The files tasks come from, and the files they name. They contain answers or graders: no skill may include them. */
export async function taskFiles(tasks: Config["tasks"], folder: string): Promise<readonly string[]> {
  const imported = await Promise.all(taskPaths(tasks).map(importIfReadable));
  const files = imported.flatMap((one) => one?.files ?? []);
  return [...taskPaths(tasks), ...files, ...(await taskScorers(tasks, folder))];
}

/** The files of the functions that score tasks. */
export const taskScorers = async (tasks: Config["tasks"], folder: string): Promise<readonly string[]> =>
  scorerFiles(await readableTasks(tasks), folder);

/** All tasks that can be read, undivided. Unreadable ones are refused later, where they are needed. */
export async function readableTasks(
  tasks: Config["tasks"] = [],
  options: Pick<ReadTasksOptions, "splitNames" | "drop"> = {},
): Promise<readonly Task[]> {
  const parts: readonly unknown[] = isList(tasks) || isPath(tasks) ? [tasks] : Object.values(tasks);
  const read = async (part: unknown): Promise<readonly Task[]> =>
    isPath(part)
      ? (await importTasks(part, options)).tasks
      : parseTasks(part, "tasks", { needsScoring: false });
  return (await Promise.all(parts.map((part) => read(part).catch(() => [])))).flat();
}

/** The task paths that a config gives. */
export function taskPaths(tasks: Config["tasks"] = []): readonly string[] {
  if (isList(tasks)) return [];
  return (typeof tasks === "string" ? [tasks] : Object.values(tasks)).filter(isPath);
}

// unreadable tasks are refused later, where they are needed
const importIfReadable = (path: string) => importTasks(path).catch(() => undefined);

const isPath = (part: unknown): part is string => typeof part === "string";

async function readSplits(tasks: GivenTasks, options: ReadTasksOptions): Promise<Splits> {
  if (isList(tasks)) return divide(keepScorable(parseTasks(tasks, "tasks", options), [], options), options);
  if (typeof tasks !== "string") return readParts(tasks, options);
  const { needsScoring, splitNames, drop } = options;
  const imported = await importTasks(tasks, { needsScoring, splitNames, drop });
  const kept = keepScorable(imported.tasks, imported.notUnderstood, options, tasks);
  if (imported.splits === undefined) return divide(kept, options);
  refuseRatio(options);
  return mapSplits((name) => imported.splits?.[name].filter((task) => kept.includes(task)) ?? []);
}

type Parts = Readonly<Partial<Record<SplitName, string | readonly unknown[] | undefined>>>;

async function readParts(parts: Parts, options: ReadTasksOptions): Promise<Splits> {
  refuseRatio(options);
  const read = async (name: SplitName): Promise<readonly Task[]> => {
    const part = parts[name];
    if (part === undefined) return [];
    const { needsScoring, splitNames, drop } = options;
    const idPrefix = `${name}-`;
    if (typeof part !== "string")
      return keepScorable(parseTasks(part, `tasks.${name}`, { needsScoring, idPrefix }), [], options);
    const { tasks, notUnderstood } = await importTasks(part, { needsScoring, splitNames, drop, idPrefix });
    return keepScorable(tasks, notUnderstood, options, part);
  };
  const [train, val, test] = [await read("train"), await read("val"), await read("test")];
  return { train, val, test };
}

function refuseRatio({ ratio }: ReadTasksOptions): void {
  if (ratio === undefined) return;
  const problem = "The tasks are already divided, so a split ratio has no effect.";
  const hint = "Remove the ratio, or give the tasks as one list.";
  throw new WhetstoneError("config-invalid", problem, { hint });
}

const mapSplits = (tasks: (name: SplitName) => readonly Task[]): Splits => ({
  train: tasks("train"),
  val: tasks("val"),
  test: tasks("test"),
});

const isList = (tasks: unknown): tasks is readonly unknown[] => Array.isArray(tasks);

function divide(tasks: readonly Task[], { seed, ratio, seen, onSkip }: ReadTasksOptions): Splits {
  const splits = divideReviewed(tasks, (reviewed) => {
    const shared = ratio === undefined ? shareTasks(reviewed, seen) : undefined;
    return shared ?? splitTasks(reviewed, { seed, ratio, seen }).splits;
  });
  const kept = new Set(Object.values(splits).flat());
  const left = tasks.filter((task) => !kept.has(task));
  const waiting = left.filter(({ draft }) => draft !== true).length;
  if (isShared(splits) && splits.test.length === 0)
    onSkip?.(sharedSentence(splits.val.length, waiting, lackingForTest(waiting)));
  const drafts = left.filter(({ draft }) => draft === true).map(({ id }) => id);
  if (drafts.length > 0)
    onSkip?.(
      `drafts left out because they share a group with a val or test task, or nearly repeat one: ${listIds(drafts)}`,
    );
  return splits;
}

/** A broken check must be found before we pay for the first call. Tasks that are left out are reported. */
function keepScorable(
  tasks: readonly Task[],
  notUnderstood: Imported["notUnderstood"],
  { needsScoring, skipInvalid = false, onSkip }: ReadTasksOptions,
  path?: string,
): readonly Task[] {
  if (!needsScoring) return tasks;
  const unread = notUnderstood.filter(({ effect }) => effect === "invalid");
  const problems = new Map(unread.map(({ where, what }) => [where, what]));
  for (const task of tasks) {
    const problem = checkTask(task);
    if (problem !== undefined && !problems.has(task.id)) problems.set(task.id, problem);
  }
  if (problems.size === 0) return tasks;
  const [first = ["", ""]] = problems;
  const row = path?.endsWith(".jsonl") ? 1 + tasks.findIndex(({ id }) => id === first[0]) : 0;
  const place = path === undefined ? "" : ` (${path}${row > 0 ? `, row ${row}` : ""})`;
  const shown = listIds([...problems.keys()]);
  if (skipInvalid) {
    onSkip?.(`left out because they can't be scored: ${shown}`);
    return tasks.filter(({ id }) => !problems.has(id));
  }
  const sentence =
    problems.size === 1
      ? `Task ${first[0]}${place} can't be scored: ${ended(first[1])}`
      : `${problems.size} tasks can't be scored: ${shown}. The first one${place}: ${ended(first[1])}`;
  // only promptfoo names a problem with one word: the assert type we can't score
  const types = new Set(unread.map(({ what }) => what).filter((what) => /^[\w:-]+$/.test(what)));
  const ways = [
    "Fix the checks",
    ...(types.size === 0
      ? []
      : [`leave such asserts out with ${[...types].map((type) => `--drop ${type}`).join(" ")}`]),
    ...(problems.size === tasks.length ? [] : ["leave these tasks out with --skip-invalid"]),
  ];
  const list = path === undefined ? "" : ` \`whetstone import ${path}\` lists what it couldn't understand.`;
  throw new WhetstoneError("tasks-invalid", sentence, { hint: `${ways.join(", or ")}.${list}` });
}
