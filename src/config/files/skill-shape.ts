import { basename, dirname, join, resolve } from "node:path";
import { isThere, kindAt, readProjectText } from "../../adapters/project-file.ts";
import { localLinks } from "../../core/skill/local-links.ts";

/** Folders that the Agent Skills rules allow next to a SKILL.md. */
export const skillFolders: readonly string[] = ["references", "scripts", "assets"];

/** Returns the first sign that a folder is a project and not a skill. */
export const findProjectMark = (folder: string): string | undefined =>
  [".git", "package.json"].find((name) => isThere(join(folder, name)));

/**
 * Whether a folder with SKILL.md has the shape of an Agent Skill: folders that only skills have, a link to one
 * of its files, or a parent folder named `skills`. A project that merely contains a SKILL.md doesn't count.
 */
export function isSkillFolder(folder: string): boolean {
  const main = join(folder, "SKILL.md");
  if (kindAt(main) !== "file" || findProjectMark(folder) !== undefined) return false;
  if (basename(dirname(resolve(folder))) === "skills") return true;
  if (manifests.some((name) => isThere(join(folder, name)))) return false;
  return skillFolders.some((name) => isThere(join(folder, name))) || linksToFile(main);
}

/** Signs of other languages: such a folder is accepted if the user names it, but never guessed. */
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

function linksToFile(main: string): boolean {
  try {
    return localLinks(readProjectText(main, { most: 256 * 1024 }), { inCode: false }).some(
      (path) =>
        !path.startsWith("..") &&
        basename(path) !== "SKILL.md" &&
        kindAt(join(dirname(main), path)) === "file",
    );
  } catch {
    // the code that reads it as a skill explains the problem
    return false;
  }
}
