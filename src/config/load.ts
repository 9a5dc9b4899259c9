import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isPostgresAddress } from "../adapters/journals/postgres/postgres-connection.ts";
import { readProjectText } from "../adapters/project-file.ts";
import { WhetstoneError } from "../core/errors.ts";
import { noteCode } from "./trust/guard-imports.ts";
import { importModule } from "./import-module.ts";
import { type KeyName, parseConfig } from "./parse-config.ts";
import type { Config } from "./schema.ts";

/** The first is the one `init` writes: `.mts` is an ES module in every project, whatever package.json says. */
export const configNames = ["mts", "ts", "mjs", "js", "json"].map(
  (extension) => `whetstone.config.${extension}`,
);

export interface LoadedConfig {
  readonly config: Config;
  /** The file it came from; undefined if there isn't one. */
  readonly file?: string;
}

/** Loads a folder's config file (or the named one) with everything it extends, and makes its paths absolute. */
export async function loadConfig(cwd: string, named?: string): Promise<LoadedConfig> {
  const file = findConfigFile(cwd, named);
  return file === undefined ? { config: {} } : { config: await loadFile(file, []), file };
}

/** The part of a config that can be known without running code. */
export interface ConfigData {
  /** Settings from its JSON files only. */
  readonly config: Config;
  /** The file where reading stopped because it is code. */
  readonly code?: string;
}

/** Loads it as data only; none of its code runs. */
export async function loadConfigData(cwd: string, named?: string): Promise<ConfigData> {
  let file = findConfigFile(cwd, named);
  let config: Config = {};
  for (const seen: string[] = []; file !== undefined; ) {
    if (!file.endsWith(".json")) return { config, code: file };
    const { extends: base, ...own } = await readOneFile(file, seen);
    config = mergeConfigs(own, config);
    seen.push(file);
    file = base;
  }
  return { config };
}

/** The folder's config file, or the named one, whether it exists or not. */
export function findConfigFile(cwd: string, named?: string): string | undefined {
  if (named !== undefined) return resolve(cwd, named);
  const found = configNames.map((name) => join(cwd, name)).filter((path) => existsSync(path));
  const [file, second] = found;
  if (second !== undefined) {
    throw new WhetstoneError("config-invalid", `There are two config files, ${found.join(" and ")}.`, {
      hint: "Keep one of them, or name one with --config.",
    });
  }
  return file;
}

/** A config given in code or as flags, on top of the file it extends. */
export async function expandConfig(
  input: unknown,
  cwd: string,
  source: string,
  nameOf?: KeyName,
): Promise<Config> {
  return withBase(absolutePaths(parseConfig(input, source, nameOf), cwd), []);
}

/** Settings on top win. Providers, agents, prices, prompts, extras, scorers and caps are merged key by key. */
export function mergeConfigs(base: Config, above: Config): Config {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(above)) {
    if (value === undefined) continue;
    merged[key] = joinedKeys.has(key)
      ? { ...(merged[key] as object | undefined), ...(value as object) }
      : value;
  }
  return merged;
}

const joinedKeys = new Set([
  "providers",
  "agents",
  "prices",
  "prompts",
  "extras",
  "scorers",
  "spend",
  "objective",
  "sleep",
]);

async function loadFile(file: string, seen: readonly string[]): Promise<Config> {
  return withBase(await readOneFile(file, seen), [...seen, file]);
}

/** Makes its paths absolute and drops `extends`. */
async function readOneFile(file: string, seen: readonly string[]): Promise<Config> {
  if (seen.includes(file)) {
    throw new WhetstoneError(
      "config-invalid",
      `Config files extend each other in a circle: ${[...seen, file].join(" → ")}.`,
      {
        hint: "Remove one `extends`.",
      },
    );
  }
  if (!existsSync(file)) {
    const by = seen.at(-1);
    throw new WhetstoneError(
      "not-found",
      `The config file ${file}${by === undefined ? "" : `, which ${by} extends,`} doesn't exist.`,
      {
        hint: `Create one, such as ${configNames[0]}, or correct the path.`,
      },
    );
  }
  return absolutePaths(parseConfig(await readConfigFile(file), file), dirname(file));
}

async function withBase({ extends: base, ...own }: Config, seen: readonly string[]): Promise<Config> {
  return base === undefined ? own : mergeConfigs(await loadFile(base, seen), own);
}

/** V8 quotes the file in its message, and `extends` can name anyone's file. */
const withoutExcerpt = (error: unknown): string =>
  (error as Error).message.replace(/, (?:\.\.\.)?".*is not valid JSON$/s, "");

async function readConfigFile(file: string): Promise<unknown> {
  if (!file.endsWith(".json")) {
    const module = await importModule(file);
    return "default" in module ? module["default"] : { ...module };
  }
  const text = readProjectText(file, { most: 1024 * 1024 });
  // it names programs, hosts and the sandbox
  noteCode(file, text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WhetstoneError("config-invalid", `${file} isn't valid JSON: ${withoutExcerpt(error)}.`, {
      hint: "Fix it there.",
    });
  }
}

/** Paths are resolved against the folder of the file that contains them. */
function absolutePaths(config: Config, folder: string): Config {
  const from = <T>(value: T): T | string => (typeof value === "string" ? resolve(folder, value) : value);
  const { tasks, prompts, environment, agents, sleep } = config;
  const paths: Record<string, unknown> = { ...config };
  for (const key of ["extends", "skill", "out"] as const)
    if (config[key] !== undefined) paths[key] = from(config[key]);
  if (config.journal !== undefined && !isPostgresAddress(config.journal))
    paths["journal"] = from(config.journal);
  if (typeof tasks === "string") paths["tasks"] = from(tasks);
  else if (tasks !== undefined && !Array.isArray(tasks)) {
    paths["tasks"] = Object.fromEntries(Object.entries(tasks).map(([split, part]) => [split, from(part)]));
  }
  if (prompts !== undefined) {
    const entries = Object.entries(prompts);
    paths["prompts"] = Object.fromEntries(
      entries.map(([name, value]) => [name, isPath(value) ? from(value) : value]),
    );
  }
  if (typeof environment === "string") paths["environment"] = from(environment);
  if (config.calibration !== undefined) paths["calibration"] = from(config.calibration);
  if (config.neighbours !== undefined) paths["neighbours"] = config.neighbours.map(from);
  if (agents !== undefined) {
    paths["agents"] = Object.fromEntries(
      Object.entries(agents).map(([name, agent]) => [name, absoluteAgent(agent, from)]),
    );
  }
  if (sleep !== undefined) {
    const { memory, skillRoots, places } = sleep;
    paths["sleep"] = {
      ...sleep,
      ...(memory === undefined ? {} : { memory: from(memory) }),
      ...(skillRoots === undefined ? {} : { skillRoots: skillRoots.map(from) }),
      ...(places && {
        places: Object.fromEntries(Object.entries(places).map(([name, place]) => [name, from(place)])),
      }),
    };
  }
  return paths;
}

type AgentSettings = NonNullable<Config["agents"]>[string];

/** Its program, any scripts among its arguments, and the files it must read. A bare name is looked up on PATH. */
function absoluteAgent(agent: AgentSettings, from: (path: string) => string): AgentSettings {
  const word = (value: string) => (isPath(value) ? from(value) : value);
  const { command, acp, run, mounts } = agent;
  return {
    ...agent,
    ...(command === undefined ? {} : { command: from(command) }),
    ...(acp === undefined ? {} : { acp: acp.map(word) }),
    ...(run === undefined ? {} : { run: run.map(word) }),
    ...(mounts === undefined ? {} : { mounts: mounts.map(from) }),
  };
}

/** A prompt given as a file path instead of as text. */
export const isPath = (value: string): boolean =>
  !value.includes("\n") && (/^\.{1,2}\//.test(value) || isAbsolute(value));
