import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { isSkillFolder, skillFolders } from "../../config/files/skill-shape.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { listGit, runGit } from "../git.ts";

/** A skill that differs from the base branch, according to git. */
export interface ChangedSkill {
  /** Relative to the project's folder: a folder with SKILL.md, or a file. */
  readonly path: string;
  /** `added`: the base branch doesn't have it; `removed`: only the base branch has it. */
  readonly change: "changed" | "added" | "removed";
}

export interface ChangedSkills {
  /** The commit to compare with. */
  readonly base: string;
  readonly skills: readonly ChangedSkill[];
}

export interface ChangedOptions {
  readonly cwd: string;
  /** The base branch, or any git ref. */
  readonly base: string;
  /** The main files of skills, as git globs. */
  readonly globs: readonly string[];
}

/** The skills that a branch changes: their main file, or anything in the folder of an Agent Skill. */
export async function changedSkills({ cwd, base, globs }: ChangedOptions): Promise<ChangedSkills> {
  const git = (...args: readonly string[]) => listGit(cwd, args);
  const commit = await findBase(cwd, base);
  const mains = globs.map((glob) => `:(glob)${glob}`);
  const diff = (...args: readonly string[]) =>
    git("diff", "-z", "--no-renames", "--relative", "--name-only", ...args);
  const here = await git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...mains);
  const touched = await diff(commit);
  const added = new Set([
    ...(await diff("--diff-filter=A", commit, "--", ...mains)),
    ...(await git("ls-files", "-z", "--others", "--exclude-standard", "--", ...mains)),
  ]);
  const removed = await diff("--diff-filter=D", commit, "--", ...mains);
  const found = here
    .filter((main) => existsSync(join(cwd, main)))
    .map((main) => ({ main, path: skillPathOf(cwd, main) }));
  const folders = found.filter(({ main, path }) => path !== main).map(({ path }) => path);
  const changed = found.filter(
    ({ main, path }) =>
      added.has(main) || touched.some((file) => file === main || isPartOf(file, path, folders)),
  );
  return {
    base: commit,
    skills: [
      ...changed.map(({ main, path }) => ({ path, change: added.has(main) ? "added" : "changed" }) as const),
      ...removed.map((path) => ({ path, change: "removed" }) as const),
    ].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** Whether a file is in a skill's folder, and not in that of another skill inside it. */
const isPartOf = (file: string, folder: string, folders: readonly string[]): boolean =>
  isBelow(file, folder) &&
  !folders.some((inner) => isBelow(inner, folder) && isBelow(file, inner) && !isMaterial(inner, folder));

// git names files from here without "./"
const isBelow = (path: string, folder: string): boolean =>
  folder === "." ? path !== "." : path.startsWith(`${folder}/`);

/** A skill reads all of these folders, even if one contains another skill, such as a template. */
const isMaterial = (path: string, folder: string): boolean =>
  skillFolders.some((name) => isBelow(path, posix.join(folder, name)));

/** The folder of an Agent Skill, or else the file itself. */
function skillPathOf(cwd: string, main: string): string {
  const folder = posix.dirname(main);
  return posix.basename(main) === "SKILL.md" && isSkillFolder(join(cwd, folder)) ? folder : main;
}

/** The merge base; in a shallow clone, which doesn't know it, the base itself. */
async function findBase(cwd: string, base: string): Promise<string> {
  const commitOf = (ref: string) =>
    runGit(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  const found = await commitOf(base)
    .catch(() => commitOf(`origin/${base}`))
    .catch((cause: unknown) => {
      throw new WhetstoneError("not-found", `Git can't find a commit ${base} here, or origin/${base}.`, {
        cause,
        hint: `Fetch it first: git fetch --depth=1 origin ${base}:refs/remotes/origin/${base}`,
      });
    });
  const commit = found.trim();
  return (await runGit(cwd, ["merge-base", commit, "HEAD"]).catch(() => commit)).trim();
}
