import { join } from "node:path";
import { readManifest, suiteFolder } from "../../adapters/importers/find-suite.ts";
import { isThere, kindAt, listProjectFolder } from "../../adapters/project-file.ts";
import { WhetstoneError } from "../../core/errors.ts";

/** A plugin of Claude Code with its one skill and its evals. */
export interface FoundPlugin {
  readonly skill: string;
  readonly tasks: string;
}

/** The plugin in this folder; undefined if there isn't one. If it has several skills, the caller must pick one. */
export function findPlugin(folder: string): FoundPlugin | undefined {
  const manifest = readManifest(folder);
  const tasks = suiteFolder(folder);
  const isPlugin = manifest !== undefined || kindAt(join(folder, "skills")) === "folder";
  if (!isPlugin || !isThere(tasks)) return undefined;
  const skills = findSkills(folder, manifest?.["skills"]);
  const [only, second] = skills;
  if (only !== undefined && second === undefined) return { skill: only, tasks };
  const which = only ?? join(folder, "skills", "<name>");
  throw new WhetstoneError(
    "usage",
    only === undefined
      ? `The plugin ${folder} contains no skills.`
      : `The plugin ${folder} contains ${skills.length} skills, but only one can be measured at a time.`,
    { hint: `whetstone eval ${which} --tasks ${tasks} --baseline none` },
  );
}

/** `skills` in the manifest names one or more folders. Each is a skill or a folder of skills. */
function findSkills(plugin: string, named: unknown): readonly string[] {
  const list = (Array.isArray(named) ? named : [named]).filter((one) => typeof one === "string");
  const isSkill = (folder: string) => isThere(join(folder, "SKILL.md"));
  return [plugin, ...(list.length === 0 ? ["skills"] : list).map((one) => join(plugin, one))].flatMap(
    (folder, at) => {
      if (isSkill(folder)) return [folder];
      return at === 0 ? [] : foldersIn(folder).filter(isSkill);
    },
  );
}

const foldersIn = (folder: string): readonly string[] =>
  kindAt(folder) === "folder" ? listProjectFolder(folder).map(({ name }) => join(folder, name)) : [];
