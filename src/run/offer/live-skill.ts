import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { realFolder } from "../../adapters/project-matcher.ts";
import { mainWorktree } from "../../adapters/workspaces/main-worktree.ts";
import { hashBytes, hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type LiveSkill, liveSkillSchema } from "../../core/offer/receipt.ts";

/** The real location of the skill at a path; undefined if nothing is there, as for a skill given in code. */
export function locateSkill(path: string): LiveSkill | undefined {
  if (path === "" || !existsSync(path)) return undefined;
  const real = realpathSync(path);
  return { kind: statSync(real).isDirectory() ? "folder" : "file", path: real };
}

/** The real location of a file that may not exist yet; its folders may be links. */
export const locateFile = (path: string): LiveSkill =>
  locateSkill(path) ?? { kind: "file", path: realFolder(path) };

export function readTarget(journalDir: string, run: string): LiveSkill {
  const path = targetPath(journalDir, run);
  const text = readIfThere(path)?.toString();
  if (text === undefined) {
    throw new WhetstoneError("not-found", `The location of run ${run}'s skill isn't known.`, {
      hint: "A skill given in code has no file; copy `best_skill` from the run's folder. Otherwise run the same `whetstone train` again: a finished run isn't paid for twice.",
    });
  }
  try {
    return liveSkillSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new WhetstoneError("proposal-damaged", `${path} isn't readable.`, {
      cause,
      hint: "Run the same `whetstone train` again: it rewrites the file, and a finished run isn't paid for twice.",
    });
  }
}

export interface LiveFile {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly mode: number;
}

/** Null if the file doesn't exist. A link or a folder in its place is refused, because a run never reads one. */
export function readLive(live: LiveSkill, path: string): LiveFile | null {
  const file = livePath(live, path);
  const root = live.kind === "file" ? dirname(live.path) : live.path;
  let step = root;
  for (const name of relative(root, file).split(sep)) {
    step = join(step, name);
    const found = lstatSync(step, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (step === file && found.isFile()) {
      const bytes = readFileSync(file);
      return { bytes, hash: hashBytes(bytes), mode: found.mode & 0o7777 };
    }
    if (step === file || !found.isDirectory()) {
      const kind = found.isSymbolicLink() ? "a link" : found.isDirectory() ? "a folder" : "a special file";
      throw new WhetstoneError("live-changed", `${step} is ${kind} now; it wasn't when the run began.`, {
        hint: "Restore what was there, or train the skill as it is now.",
      });
    }
  }
  return null;
}

/** The path of a file of the skill. A path that leads out of the skill, or to a hidden file, is refused. */
export function livePath(live: LiveSkill, path: string): string {
  if (live.kind === "file") return live.path;
  const names = path.split("/");
  const isPlain = (name: string) => name !== "" && !name.startsWith(".") && !/[\\\0]/.test(name);
  if (names.every(isPlain)) return join(live.path, ...names);
  throw new WhetstoneError("proposal-damaged", `The proposal names a file "${path}", outside of the skill.`, {
    hint: "Run the same `whetstone train` again: it rewrites the proposal, and a finished run isn't paid for twice.",
  });
}

/** A short name for a live skill, the same in all worktrees of its repository. */
export const liveName = ({ path }: LiveSkill): string => hashText(mainWorktree(path)).slice(0, 12);

export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file that records which skill a run is about. */
export const targetPath = (journalDir: string, run: string): string =>
  join(journalDir, "targets", `${run}.json`);
