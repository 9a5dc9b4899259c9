import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { localLinks } from "../../core/skill/local-links.ts";

/** What the rules for Agent Skills put beside a SKILL.md. */
export const skillFolders: readonly string[] = ["references", "scripts", "assets"];

/** What shows that a folder is a project and no skill: the first of it that lies there. */
export const findProjectMark = (folder: string): string | undefined =>
  [".git", "package.json", ".whetstone"].find((name) => existsSync(join(folder, name)));

/**
 * Whether a folder with SKILL.md is an Agent Skill by its shape: the folders that only skills have, a link to a file of its
 * own, or a folder `skills` around it. A project that happens to hold a SKILL.md is none.
 */
export function isSkillFolder(folder: string): boolean {
  const main = join(folder, "SKILL.md");
  if (statSync(main, { throwIfNoEntry: false })?.isFile() !== true || findProjectMark(folder) !== undefined)
    return false;
  if (basename(dirname(resolve(folder))) === "skills") return true;
  if (manifests.some((name) => existsSync(join(folder, name)))) return false;
  return skillFolders.some((name) => existsSync(join(folder, name))) || linksToFile(main);
}

/** Of other languages: not refused where a person names the folder, but never guessed. */
const manifests = [
  "pyproject.toml",
  "setup.py",
  "Cargo.toml",
  "go.mod",
  "pom.xml",
  "build.gradle",
  "Gemfile",
  "composer.json",
  "deno.json",
];

const linksToFile = (main: string): boolean =>
  localLinks(readFileSync(main, "utf8"), { inCode: false }).some(
    (path) =>
      !path.startsWith("..") &&
      basename(path) !== "SKILL.md" &&
      statSync(join(dirname(main), path), { throwIfNoEntry: false })?.isFile() === true,
  );
