import { basename, dirname, join, resolve } from "node:path";
import { isThere, kindAt, readProjectText } from "../../adapters/project-file.ts";
import { localLinks } from "../../core/skill/local-links.ts";

/** What the rules for Agent Skills put beside a SKILL.md. */
export const skillFolders: readonly string[] = ["references", "scripts", "assets"];

/** What shows that a folder is a project and no skill: the first of it that lies there. */
export const findProjectMark = (folder: string): string | undefined =>
  [".git", "package.json"].find((name) => isThere(join(folder, name)));

/**
 * Whether a folder with SKILL.md is an Agent Skill by its shape: the folders that only skills have, a link to a file of its
 * own, or a folder `skills` around it. A project that happens to hold a SKILL.md is none.
 */
export function isSkillFolder(folder: string): boolean {
  const main = join(folder, "SKILL.md");
  if (kindAt(main) !== "file" || findProjectMark(folder) !== undefined) return false;
  if (basename(dirname(resolve(folder))) === "skills") return true;
  if (manifests.some((name) => isThere(join(folder, name)))) return false;
  return skillFolders.some((name) => isThere(join(folder, name))) || linksToFile(main);
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

function linksToFile(main: string): boolean {
  try {
    return localLinks(readProjectText(main, { most: 256 * 1024 }), { inCode: false }).some(
      (path) =>
        !path.startsWith("..") &&
        basename(path) !== "SKILL.md" &&
        kindAt(join(dirname(main), path)) === "file",
    );
  } catch {
    // reading it as a skill will say why
    return false;
  }
}
