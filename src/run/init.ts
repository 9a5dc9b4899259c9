import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleModels } from "../adapters/models/example-models.ts";
import { readEnv } from "../config/env.ts";
import { type FoundWork, findWork, placeOf } from "../config/resolve/find-work.ts";
import { guessModels } from "../config/guess.ts";
import { parseConfig } from "../config/parse-config.ts";
import { modelId } from "../config/resolve/resolve-model.ts";
import type { Config } from "../config/schema.ts";
import { WhetstoneError } from "../core/errors.ts";

export interface InitOptions {
  readonly folder: string;
  /** Writes over a config that is there. @default false */
  readonly force?: boolean;
  /** Written down as they are. @default by the keys that are set and the agents that are installed */
  readonly models?: Pick<Config, "target" | "optimizer" | "baseURL">;
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
}

const fileName = "whetstone.config.ts";

/** Looks for skill, evals and agents, and says what a run would use; nothing is called and nothing written. */
export function chooseWork({ folder, force = false, models = {} }: InitOptions): Initialised {
  const file = join(folder, fileName);
  const there = ["ts", "mts", "js", "mjs", "json"]
    .map((extension) => join(folder, `whetstone.config.${extension}`))
    .find((path) => existsSync(path));
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
  const [skill] = found.skills;
  if (skill === undefined) {
    throw new WhetstoneError("not-found", `There is no skill in ${folder}.`, {
      hint: "Go to the folder of a SKILL.md, AGENTS.md, CLAUDE.md or .cursor/rules, or to one with skills/<name>/SKILL.md.",
    });
  }
  const place = placeOf(skill);
  const isBeside = (path: string) =>
    place === "."
      ? !found.skills.some((other) => path.startsWith(`${other}/`))
      : path.startsWith(`${place}/`);
  const tasks = found.tasks.find(isBeside) ?? found.tasks[0];
  const named = parseConfig(models, "The command line");
  const target = named.target ?? named.optimizer;
  const guessed = target === undefined ? guessModels(env) : undefined;
  return {
    file,
    found,
    skill,
    tasks,
    target: target === undefined ? guessed?.target : modelId(target),
    optimizer: target === undefined ? guessed?.optimizer : modelId(named.optimizer ?? target),
    baseURL: named.baseURL,
  };
}

/** Writes it down. */
export const writeConfig = (chosen: Initialised): void => writeFileSync(chosen.file, configText(chosen));

/** What the file says, as a config. */
export const configOf = ({ skill, tasks, target, optimizer, baseURL }: Initialised): Config => ({
  skill: relativePath(skill),
  ...(tasks === undefined ? {} : { tasks: relativePath(tasks) }),
  target,
  optimizer,
  ...(baseURL === undefined ? {} : { baseURL }),
  spend: { usd: 5, calls: 2000 },
  // a journal holds every answer, so it never lies inside of a skill
  ...(skill === "." ? { journal: "../.whetstone" } : {}),
});

/** A file that loads without whetstone beside it, and has its types where it is installed. */
function configText(chosen: Initialised): string {
  const { skill, tasks, target, optimizer, baseURL, spend, journal } = configOf(chosen);
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
    ...(journal === undefined ? [] : [line("journal", journal)]),
    "};",
    "",
  ].join("\n");
}

const examples = (role: "target" | "optimizer"): string =>
  `"${exampleModels["claude-code"][role]}" or "${exampleModels.openai[role]}"`;

const relativePath = (path: string): string => (path === "." ? "." : `./${path}`);
