import { dirname, join } from "node:path";
import { loadConfig } from "../../config/load.ts";
import { formatUsd } from "../../core/spend.ts";
import { type Drafted, draftTasksFor } from "../../run/draft-tasks.ts";
import { type Initialised, init } from "../../run/init.ts";
import { plural } from "./format.ts";
import type { Io } from "./io.ts";
import { shownFrom, watched } from "./train-command.ts";

export interface InitFlags {
  readonly force: boolean;
  readonly json: boolean;
  /** How many tasks to draft. */
  readonly draft?: number;
}

/** `whetstone init` */
export async function initCommand({ force, json, draft }: InitFlags, io: Io): Promise<void> {
  const done = init({ folder: io.cwd, force });
  if (!json) io.print(initialisedLines(done, shownFrom(io.cwd)).join("\n"));
  const drafted = draft === undefined ? undefined : await draftInto(done, draft, json, io);
  if (json) {
    io.print(JSON.stringify({ ...done, ...(drafted === undefined ? {} : { drafts: drafted.file }) }));
    return;
  }
  io.print(["", ...nextLines(done, drafted, shownFrom(io.cwd))].join("\n"));
}

async function draftInto(
  { file, skill }: Initialised,
  count: number,
  json: boolean,
  io: Io,
): Promise<Drafted> {
  const { config } = await loadConfig(io.cwd, file);
  const folder = /\.\w+$/.test(skill) ? dirname(join(io.cwd, skill)) : join(io.cwd, skill);
  const { tasks: _, ...rest } = config;
  return watched(config, json, io, (hooks) =>
    draftTasksFor({ ...rest, ...hooks, count, file: join(folder, "evals", "drafts.jsonl") }),
  );
}

function initialisedLines(
  { file, found, skill, tasks, target, optimizer }: Initialised,
  shown: (path: string) => string,
): readonly string[] {
  const others = (chosen: string, all: readonly string[]) => {
    const rest = all.filter((one) => one !== chosen);
    return rest.length === 0
      ? ""
      : `  (also there: ${rest.slice(0, 5).join(", ")}${rest.length > 5 ? ", …" : ""})`;
  };
  const agents = found.agents.map(({ name }) => name).join(", ");
  return [
    `Wrote ${shown(file)}.`,
    "",
    `  skill      ${skill}${others(skill, found.skills)}`,
    `  tasks      ${tasks === undefined ? "none found" : tasks + others(tasks, found.tasks)}`,
    `  target     ${target ?? "none: no key is set and no agent with a login is installed"}`,
    `  optimizer  ${optimizer ?? "none"}`,
    `  agents     ${agents === "" ? "none on PATH" : agents}`,
  ];
}

function nextLines(
  { tasks, target }: Initialised,
  drafted: Drafted | undefined,
  shown: (path: string) => string,
): readonly string[] {
  if (drafted !== undefined) {
    return [
      `${plural(drafted.tasks.length, "task")} drafted into ${shown(drafted.file)} for ${formatUsd(drafted.spent.nanoUsd)}.`,
      'Read them, mend them, and remove "draft": true from each one that you stand behind: drafts never gate.',
    ];
  }
  if (tasks === undefined)
    return [
      "Next: write tasks, or let the optimizer draft some for your review: whetstone init --force --draft 12",
    ];
  if (target === undefined) return ["Next: set target and optimizer in the config, then whetstone plan"];
  return ["Next: whetstone plan"];
}
