import { basename, dirname, join, relative, resolve } from "node:path";
import { guessTasks } from "../../config/guess.ts";
import { findConfigFile } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";

/** The config file nearest to a skill, from its own folder up to the project's; undefined where there is none. */
export function nearestConfig(cwd: string, skill: string): string | undefined {
  for (let folder = resolve(cwd, skill); !relative(cwd, folder).startsWith(".."); folder = dirname(folder)) {
    const found = findConfigFile(folder);
    if (found !== undefined) return found;
    if (folder === resolve(cwd)) break;
  }
  return undefined;
}

/** A config for one skill of several. Tasks that it names for another skill are none of this one's; undefined without any. */
export function configForSkill(config: Config, skill: string, cwd: string): Config | undefined {
  const path = resolve(cwd, skill);
  const isOther = typeof config.skill === "string" && folderOf(resolve(cwd, config.skill)) !== folderOf(path);
  const tasks = (isOther ? undefined : config.tasks) ?? guessTasks(isOther ? path : cwd, path);
  return tasks === undefined ? undefined : { ...config, skill: path, tasks };
}

/** A skill is named by its folder or by its main file. */
const folderOf = (path: string): string => (basename(path) === "SKILL.md" ? dirname(path) : join(path));
