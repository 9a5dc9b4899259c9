import { resolve } from "node:path";
import { guessSkill, guessTasks } from "../../../config/guess.ts";
import { plural } from "../../../core/plural.ts";
import { checkWords } from "../../../core/tasks/draft-question.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { formatUsd } from "../../../core/work/spend.ts";
import { addTasks } from "../../../run/add-tasks.ts";
import { type Suggested, suggestTasks } from "../../../run/verbs/draft.ts";
import { colors, wrap } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { type RunFlags, readConfig } from "../read-config.ts";
import { watched } from "./train-command.ts";

/** `whetstone draft [skill]` */
export async function draftCommand(
  { count, ...flags }: RunFlags & { readonly count: number },
  io: Io,
): Promise<void> {
  const config = await readConfig(flags, io);
  const found = await watched(config, flags.json, io, (hooks) =>
    suggestTasks({ ...config, ...hooks, count }),
  );
  if (flags.json) return io.printJson(found);
  io.print(`${plural(found.tasks.length, "task")} drafted for ${formatUsd(found.spent.nanoUsd)}.`);
  const kept = await reviewDrafts(found.tasks, io);
  const skill = typeof config.skill === "string" ? config.skill : guessSkill(io.cwd);
  const { tasks = guessTasks(io.cwd, skill) } = config;
  if (kept === undefined)
    return io.print("\nNothing was written. Run the command in a terminal to keep some of them.");
  if (kept.length === 0) return io.print("\nYou kept none, and no file was changed.");
  if (typeof tasks !== "string")
    return io.print(
      ["", "Add these rows to your tasks:", ...kept.map((task) => JSON.stringify(task))].join("\n"),
    );
  const file = shownFrom(io.cwd)(await addTasks(resolve(io.cwd, tasks), kept));
  io.print(
    ["", `${plural(kept.length, "task")} added to ${file}. ${comingTest(found, kept.length)}`].join("\n"),
  );
}

/** Asks a person about each task. If nobody can be asked, it shows the tasks and returns undefined. */
export async function reviewDrafts(tasks: readonly Task[], io: Io): Promise<readonly Task[] | undefined> {
  const kept: Task[] = [];
  for (const [at, task] of tasks.entries()) {
    io.print(["", colors.bold(`${at + 1} of ${tasks.length}`), ...taskLines(task, io.columns)].join("\n"));
    if (io.prompt === undefined) continue;
    const word = await askKey(io.prompt);
    if (word === "q") break;
    if (word === "k") kept.push(task);
  }
  return io.prompt === undefined ? undefined : kept;
}

async function askKey(prompt: NonNullable<Io["prompt"]>): Promise<"k" | "d" | "q"> {
  for (;;) {
    const said = await prompt.ask("[k]eep  [d]rop  [q]uit > ");
    const key = said === undefined ? "q" : said.trim().toLowerCase()[0];
    if (key === "k" || key === "d" || key === "q") return key;
  }
}

function taskLines({ input, answers = [], checks = [] }: Task, columns: number): readonly string[] {
  const wanted = [...answers.map((answer) => `answer: ${answer}`), ...checks.map(checkWords)];
  return [
    ...wrap(input, columns, "  "),
    ...wanted.flatMap((line) => wrap(line, columns - 2, "    ").map(colors.dim)),
  ];
}

/** New tasks go to the test split before any other. */
function comingTest({ lacking }: Suggested, kept: number): string {
  if (lacking === undefined) return "The next training splits them like the others.";
  return lacking > kept
    ? `They're saved for a held-out test, which needs ${lacking - kept} more.`
    : "The next training tests its result on them.";
}
