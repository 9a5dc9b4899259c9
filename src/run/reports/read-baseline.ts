import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { runGitBytes } from "../git.ts";
import type { SkillList } from "../../config/files/list-skill-files.ts";
import { readSkill, refuseProjectFolder } from "../../config/files/read-skill.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type Skill, singleFileSkill } from "../../core/skill/skill.ts";

/**
 * The skill to compare with: at a path, or the skill at `skillPath` as it was at a git ref. Its files are chosen in the same
 * way. `none` means without a skill; a file of that name is `./none`.
 */
export async function readBaseline(
  baseline: string,
  skillPath: string,
  { more = [], except = [], cwd = "" }: SkillList & { readonly cwd?: string } = {},
): Promise<Skill> {
  const at = (place: string): SkillList => ({
    // an earlier version may not have these yet
    more: more.filter((name) => existsSync(join(place, name))),
    except: except.map((path) => resolve(place, relative(skillPath, path))),
  });
  if (baseline === withoutSkill) return singleFileSkill("");
  const path = resolve(cwd, baseline);
  if (!existsSync(path)) return readAtRef(baseline, skillPath, at);
  if (statSync(path).isDirectory()) refuseProjectFolder(path);
  return readSkill(path, at(path));
}

/** Copies the bytes of a commit into a temporary folder, so that skills are always read in the same way. */
async function readAtRef(
  ref: string,
  skillPath: string,
  listAt: (place: string) => SkillList,
): Promise<Skill> {
  if (skillPath === "") throw noBaseline(ref, "and a skill given in code has no history");
  const place = await realpath(skillPath);
  const isFolder = (await stat(place)).isDirectory();
  const folder = isFolder ? place : dirname(place);
  const git = (...args: readonly string[]) => runGit(folder, args, ref);
  const commit = (await git("rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`))
    .toString()
    .trim();
  const listed = await git("ls-tree", "-r", "-z", commit, ...(isFolder ? [] : ["--", basename(place)]));
  const blobs = listed
    .toString()
    .split("\0")
    .flatMap((line) => {
      const [, mode, object, path] = /^100(\d{3}) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return mode === undefined || object === undefined || path === undefined
        ? []
        : [{ mode: Number.parseInt(mode, 8), object, path }];
    });
  if (blobs.length === 0) {
    throw new WhetstoneError("not-found", `${ref} doesn't contain ${skillPath}.`, {
      hint: `\`git log --oneline -- ${basename(place)}\` lists the commits that changed it.`,
    });
  }
  const copy = await mkdtemp(join(tmpdir(), "whetstone-baseline-"));
  try {
    for (const { mode, object, path } of blobs) {
      await mkdir(dirname(join(copy, path)), { recursive: true });
      await writeFile(join(copy, path), await git("cat-file", "blob", object), { mode });
    }
    return await (isFolder ? readSkill(copy, listAt(copy)) : readSkill(join(copy, basename(place))));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The name of the baseline without a skill. */
export const withoutSkill = "none";

async function runGit(folder: string, args: readonly string[], ref: string): Promise<Buffer> {
  try {
    return await runGitBytes(folder, args);
  } catch (cause) {
    const { code, stderr } = cause as { readonly code?: unknown; readonly stderr?: Buffer };
    if (code === "ENOENT") throw noBaseline(ref, "and git isn't installed", cause);
    const [said = ""] = (stderr?.toString() ?? "").replace(/^fatal: /, "").split("\n");
    // `rev-parse --verify` says this about an unknown name
    const why = said.includes("single revision") ? "and git knows no such ref" : `and git says: ${said}`;
    throw noBaseline(ref, why, cause);
  }
}

const noBaseline = (baseline: string, why: string, cause?: unknown): WhetstoneError =>
  new WhetstoneError("not-found", `No file or folder ${baseline} exists, ${why.replace(/\.$/, "")}.`, {
    cause,
    hint: "Name an earlier version as a path, as a git ref such as main or HEAD~1, or `none` to compare without a skill.",
  });
