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
  /** Writes over a config that is there. @default false */
  readonly force?: boolean;
  /** One of those that are here. @default the first */
  readonly skill?: string | undefined;
  /** Written down as they are. @default by the keys that are set and the agents that are installed */
  readonly models?: Pick<Config, "target" | "optimizer" | "baseURL">;
  /** A config of SkillOpt that is taken over. */
  readonly takenOver?: TakenOver | undefined;
}

/** What was found, what was chosen of it, and the config that says so. */
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

/** Looks for skill, evals and agents, and says what a run would use; nothing is called and nothing written. */
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
    throw new WhetstoneError("usage", `There is a config already: ${there}.`, {
      hint:
        there === file
          ? "Change it by hand, or write it anew with --force."
          : "Change it by hand, or remove it first.",
    });
  }
  const env = readEnv();
  const found = findWork(folder, env);
  const over = takenOver?.config ?? {};
  const skill = named ?? pathOf(over.skill) ?? found.skills[0];
  if (skill === undefined) {
    const [other] = found.skillOpt;
    throw new WhetstoneError("not-found", `There is no skill in ${folder}.`, {
      hint:
        other !== undefined
          ? `Take over the config of SkillOpt: whetstone init --from ${other}`
          : "Go to the folder of a SKILL.md, AGENTS.md, CLAUDE.md or .cursor/rules, or to one with skills/<name>/SKILL.md. `whetstone demo` shows a training without any.",
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

/** Only what is there. */
export const withoutGaps = <Values extends object>(values: Values): Partial<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;

const pathOf = (path: unknown): string | undefined =>
  typeof path === "string" ? path.replace(/^\.\//, "") : undefined;

/** Writes it down. */
/** In the place of what is there: a link goes, and what it leads to stays. */
export function writeConfig(chosen: Initialised): void {
  rmSync(chosen.file, { force: true });
  writeFileSync(chosen.file, configText(chosen), { flag: "wx" });
}

/** What the file says, as a config. */
export const configOf = ({ skill, tasks, target, optimizer, baseURL, takenOver }: Initialised): Config => ({
  ...takenOver?.config,
  skill: relativePath(skill),
  ...(tasks === undefined ? {} : { tasks: relativePath(tasks) }),
  target,
  optimizer,
  ...(baseURL === undefined ? {} : { baseURL }),
  spend: { usd: 5, calls: 2000 },
});

/** A file that loads without whetstone beside it, and has its types where it is installed. */
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
