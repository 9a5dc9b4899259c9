import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleModels } from "../adapters/models/example-models.ts";
import { readEnv } from "../config/env.ts";
import { type FoundWork, findWork, placeOf } from "../config/resolve/find-work.ts";
import { guessModels } from "../config/guess.ts";
import type { TakenOver } from "../config/files/read-skillopt-config.ts";
import { configNames } from "../config/load.ts";
import { parseConfig } from "../config/parse-config.ts";
import { modelId } from "../config/resolve/resolve-model.ts";
import type { Config } from "../config/schema.ts";
import { WhetstoneError } from "../core/errors.ts";

export interface InitOptions {
  readonly folder: string;
  /** Overwrites an existing config. @default false */
  readonly force?: boolean;
  /** One of the skills that were found. @default the first */
  readonly skill?: string | undefined;
  /** Written to the config as they are. @default chosen by the keys that are set and the agents that are installed */
  readonly models?: Pick<Config, "target" | "optimizer" | "baseURL">;
  /** An imported SkillOpt config. */
  readonly takenOver?: TakenOver | undefined;
}

/** Everything that was found, the choices made from it, and the config file. */
export interface Initialised {
  readonly file: string;
  readonly found: FoundWork;
  readonly skill: string;
  readonly tasks?: string;
  readonly target?: string;
  readonly optimizer?: string;
  readonly baseURL?: string;
  readonly takenOver?: TakenOver | undefined;
}

/** Looks for a skill, evals and agents, and chooses what a run would use. Makes no API calls and writes nothing. */
export function chooseWork({
  folder,
  force = false,
  skill: named,
  models = {},
  takenOver,
}: InitOptions): Initialised {
  const places = configNames.map((name) => join(folder, name));
  const [file = ""] = places;
  const there = places.find((path) => existsSync(path));
  if (there !== undefined && !(force && there === file)) {
    throw new WhetstoneError("usage", `A config already exists: ${there}.`, {
      hint: there === file ? "Edit it, or overwrite it with --force." : "Edit it, or remove it first.",
    });
  }
  const env = readEnv();
  const found = findWork(folder, env);
  const over = takenOver?.config ?? {};
  const skill = named ?? pathOf(over.skill) ?? found.skills[0];
  if (skill === undefined) {
    const [other] = found.skillOpt;
    throw new WhetstoneError("not-found", `No skill was found in ${folder}.`, {
      hint:
        other !== undefined
          ? `Import the SkillOpt config: whetstone init --from ${other}`
          : "Change to a folder with a SKILL.md, AGENTS.md, CLAUDE.md, .cursor/rules or skills/<name>/SKILL.md. `whetstone demo` shows a training run without one.",
    });
  }
  const place = placeOf(skill);
  const isBeside = (path: string) =>
    place === "."
      ? !found.skills.some((other) => path.startsWith(`${other}/`))
      : path.startsWith(`${place}/`);
  const tasks = pathOf(over.tasks) ?? found.tasks.find(isBeside) ?? found.tasks[0];
  const given = { target: over.target, optimizer: over.optimizer, ...withoutGaps(models) };
  const typed = parseConfig(given, "The command line");
  const target = typed.target ?? typed.optimizer;
  const guessed = target === undefined ? guessModels(env) : undefined;
  return {
    file,
    found,
    skill,
    tasks,
    target: target === undefined ? guessed?.target : modelId(target),
    optimizer: target === undefined ? guessed?.optimizer : modelId(typed.optimizer ?? target),
    baseURL: typed.baseURL,
    takenOver,
  };
}

/** Without undefined values. */
export const withoutGaps = <Values extends object>(values: Values): Partial<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;

const pathOf = (path: unknown): string | undefined =>
  typeof path === "string" ? path.replace(/^\.\//, "") : undefined;

/** Replaces an existing config. If that is a link, the link is removed and its target stays. */
export function writeConfig(chosen: Initialised): void {
  rmSync(chosen.file, { force: true });
  writeFileSync(chosen.file, configText(chosen), { flag: "wx" });
}

/** The file's content, as a config. */
export const configOf = ({ skill, tasks, target, optimizer, baseURL, takenOver }: Initialised): Config => ({
  ...takenOver?.config,
  skill: relativePath(skill),
  ...(tasks === undefined ? {} : { tasks: relativePath(tasks) }),
  target,
  optimizer,
  ...(baseURL === undefined ? {} : { baseURL }),
  spend: { usd: 5, calls: 2000 },
});

/** The file loads without whetstone next to it, and has types if whetstone is installed. */
function configText(chosen: Initialised): string {
  const { skill, tasks, target, optimizer, baseURL, spend, ...others } = configOf(chosen);
  const line = (key: string, value: unknown, otherwise = "") =>
    value === undefined ? `  // ${key}: ${otherwise},` : `  ${key}: ${JSON.stringify(value)},`;
  return [
    '/** @type {import("whetstone").Config} */',
    "export default {",
    line("skill", skill),
    line("tasks", tasks, '"./evals/evals.json"'),
    line("target", target, examples("target")),
    line("optimizer", optimizer, examples("optimizer")),
    ...(baseURL === undefined ? [] : [line("baseURL", baseURL)]),
    `  spend: { ${Object.entries(spend ?? {})
      .map(([key, most]) => `${key}: ${most}`)
      .join(", ")} },`,
    ...Object.entries(others).map(([key, value]) => line(key, value)),
    ...(chosen.takenOver?.left ?? []).map((what) => `  // not taken over, ${what}`),
    "};",
    "",
  ].join("\n");
}

const examples = (role: "target" | "optimizer"): string =>
  `"${exampleModels["claude-code"][role]}" or "${exampleModels.openai[role]}"`;

const relativePath = (path: string): string => (path === "." ? "." : `./${path}`);
