import { basename, dirname, join, resolve } from "node:path";
import { readSkillOptConfig } from "../../../config/files/read-skillopt-config.ts";
import { guessSkill } from "../../../config/guess.ts";
import { expandConfig, findConfigFile } from "../../../config/load.ts";
import { formatUsd } from "../../../core/work/spend.ts";
import { type Drafted, draftTasksFor, keepTasks } from "../../../run/verbs/draft.ts";
import {
  type InitOptions,
  type Initialised,
  chooseWork,
  configOf,
  withoutGaps,
  writeConfig,
} from "../../../run/init.ts";
import { plural, hang } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";
import { readConfig } from "../read-config.ts";
import { resolveSkill } from "../../../config/resolve/resolve.ts";
import { type Finding, failure } from "../../../run/doctor/finding.ts";
import { lintFindings } from "../../../run/doctor/lint-findings.ts";
import { findingLines } from "./doctor-command.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { reviewDrafts } from "./draft-command.ts";
import { watched } from "./train-command.ts";

export interface InitFlags {
  readonly force: boolean;
  readonly json: boolean;
  /** How many tasks to draft. */
  readonly draft?: number;
  readonly target?: string;
  readonly optimizer?: string;
  readonly baseUrl?: string;
  /** A config of SkillOpt. */
  readonly from?: string;
}

/** `whetstone init` */
export async function initCommand({ force, json, draft, ...named }: InitFlags, io: Io): Promise<void> {
  const { target, optimizer, baseUrl: baseURL, from } = named;
  const models = { target, optimizer, baseURL };
  const takenOver = from === undefined ? undefined : await readSkillOptConfig(resolve(io.cwd, from), io.cwd);
  const shown = shownFrom(io.cwd);
  // drafts need a config, and an existing one belongs to somebody
  const done =
    draft === undefined || force || findConfigFile(io.cwd) === undefined
      ? chooseWork({ folder: io.cwd, force, models, takenOver })
      : undefined;
  // if drafting fails, a config written before would be in the way of the next try
  const drafted =
    draft === undefined ? undefined : await draftInto(draft, { chosen: done, models }, json, io);
  if (done !== undefined) writeConfig(done);
  const findings = done === undefined ? [] : await lookAtSkill(done, io);
  if (json) {
    io.printJson({ ...done, findings, ...(drafted === undefined ? {} : { drafts: drafted.file }) });
    return;
  }
  if (done !== undefined) {
    io.print(initialisedLines(done, shown).join("\n"));
    io.print(["", ...findings.flatMap((found) => findingLines(found, io.lineLimit))].join("\n"));
  }
  if (drafted !== undefined) await reviewThem(drafted, shown, io);
  else if (done !== undefined) io.print(["", ...hang(nextText(done), io.lineLimit)].join("\n"));
}

/** Findings from the skill's text alone. If it can't be read, the finding is worded as in `doctor`. */
async function lookAtSkill(chosen: Initialised, io: Io): Promise<readonly Finding[]> {
  const config = await expandConfig(configOf(chosen), io.cwd, "The config");
  try {
    const { skill, path } = await resolveSkill(config, io.cwd, []);
    return lintFindings(skill, path);
  } catch (error) {
    return [failure("skill", error)];
  }
}

async function draftInto(
  count: number,
  {
    chosen,
    models,
  }: { readonly chosen: Initialised | undefined; readonly models: NonNullable<InitOptions["models"]> },
  json: boolean,
  io: Io,
): Promise<Drafted> {
  const config =
    chosen === undefined
      ? await readConfig({ given: withoutGaps(models) }, io)
      : await expandConfig(configOf(chosen), io.cwd, "The config");
  const { tasks: _, ...rest } = config;
  const skill = typeof config.skill === "string" ? config.skill : (guessSkill(io.cwd) ?? io.cwd);
  const folder = /\.\w+$/.test(basename(skill)) ? dirname(skill) : skill;
  return watched(config, json, io, (hooks) =>
    draftTasksFor({ ...rest, ...hooks, count, file: join(folder, "evals", "drafts.jsonl") }),
  );
}

function initialisedLines(
  { file, found, skill, tasks, target, optimizer, baseURL, takenOver }: Initialised,
  shown: (path: string) => string,
): readonly string[] {
  const others = (chosen: string, all: readonly string[]) => {
    const rest = all.filter((one) => one !== chosen);
    return rest.length === 0
      ? ""
      : `  (also found: ${rest.slice(0, 5).join(", ")}${rest.length > 5 ? ", …" : ""})`;
  };
  const agents = found.agents.map(({ name }) => name).join(", ");
  return [
    `Wrote ${shown(file)}.`,
    "",
    `  skill      ${skill}${others(skill, found.skills)}`,
    `  tasks      ${tasks === undefined ? "none found" : tasks + others(tasks, found.tasks)}`,
    `  target     ${target ?? "none: no key is set and no agent with a login is installed"}`,
    `  optimizer  ${optimizer ?? "none"}`,
    ...(baseURL === undefined ? [] : [`  server     ${baseURL}`]),
    `  agents     ${agents === "" ? "none on PATH" : agents}`,
    ...(takenOver === undefined
      ? found.skillOpt
          .slice(0, 1)
          .map((path) => `  SkillOpt   ${path}  (to import it: whetstone init --force --from ${path})`)
      : [
          `  SkillOpt   ${takenOver.taken.length} settings imported, ${takenOver.left.length} have no counterpart: see the comments in the config`,
        ]),
  ];
}

/** Drafts become tasks once a person keeps them. If nobody can be asked, all of them stay drafts. */
async function reviewThem(
  { tasks, file, spent }: Drafted,
  shown: (path: string) => string,
  io: Io,
): Promise<void> {
  io.print(`\n${plural(tasks.length, "task")} drafted into ${shown(file)} for ${formatUsd(spent.nanoUsd)}.`);
  const kept = await reviewDrafts(tasks, io);
  if (kept !== undefined) await keepTasks(file, kept);
  const isOpen = kept === undefined || kept.length === 0;
  const marks =
    'Read them, correct them, and remove "draft": true from each one you agree with. Nothing is judged by drafts.';
  io.print(
    ["", isOpen ? marks : `You kept ${kept.length}.`, `To train on them, add --tasks ${shown(file)}.`].join(
      "\n",
    ),
  );
}

function nextText({ tasks, target }: Initialised): string {
  if (tasks === undefined)
    return "Next: write tasks, or let the optimizer draft some for your review: whetstone init --draft 12";
  if (target === undefined) return "Next: set target and optimizer in the config, then run whetstone doctor";
  return "Next: whetstone doctor checks your setup, whetstone plan estimates what a run would take";
}
