import { basename, dirname, join, relative, resolve } from "node:path";
import { guessTasks } from "../../config/guess.ts";
import { findConfigFile } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";

/** The config file nearest to a skill, from its own folder up to the project's; undefined if there is none. */
export function nearestConfig(cwd: string, skill: string): string | undefined {
  for (let folder = resolve(cwd, skill); !relative(cwd, folder).startsWith(".."); folder = dirname(folder)) {
    const found = findConfigFile(folder);
    if (found !== undefined) return found;
    if (folder === resolve(cwd)) break;
  }
  return undefined;
}

/** A config for one skill of several. Tasks named for another skill aren't its own, so `tasks` may be missing. */
export function configForSkill(config: Config, skill: string, cwd: string): Config {
  const path = resolve(cwd, skill);
  const isOther = typeof config.skill === "string" && folderOf(resolve(cwd, config.skill)) !== folderOf(path);
  const { tasks: named, ...rest } = config;
  const tasks = (isOther ? undefined : named) ?? guessTasks(isOther ? path : cwd, path);
  return { ...rest, skill: path, ...(tasks === undefined ? {} : { tasks }) };
}

/** A skill can be named by its folder or by its main file. */
const folderOf = (path: string): string => (basename(path) === "SKILL.md" ? dirname(path) : join(path));
