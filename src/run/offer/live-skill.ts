import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { realFolder } from "../../adapters/project-matcher.ts";
import { mainWorktree } from "../../adapters/workspaces/main-worktree.ts";
import { hashBytes, hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type LiveSkill, liveSkillSchema } from "../../core/offer/receipt.ts";

/** Where the skill at a path lives; undefined when there is nothing, as with a skill given in code. */
export function locateSkill(path: string): LiveSkill | undefined {
  if (path === "" || !existsSync(path)) return undefined;
  const real = realpathSync(path);
  return { kind: statSync(real).isDirectory() ? "folder" : "file", path: real };
}

/** Where a file lives that may not be there yet: its folders may be links. */
export const locateFile = (path: string): LiveSkill =>
  locateSkill(path) ?? { kind: "file", path: realFolder(path) };

export function readTarget(journalDir: string, run: string): LiveSkill {
  const path = targetPath(journalDir, run);
  const text = readIfThere(path)?.toString();
  if (text === undefined) {
    throw new WhetstoneError("not-found", `It is not known where the skill of run ${run} lives.`, {
      hint: "A skill given in code has no file; copy `best_skill` out of the run's folder. Otherwise start the same `whetstone train` again: a finished run is not paid twice.",
    });
  }
  try {
    return liveSkillSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new WhetstoneError("proposal-damaged", `${path} is not readable.`, {
      cause,
      hint: "Start the same `whetstone train` again: it writes the file anew, and a finished run is not paid twice.",
    });
  }
}

export interface LiveFile {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly mode: number;
}

/** Null when there is none. A link or a folder in its place is refused: a run never read one. */
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
      const kind = found.isSymbolicLink() ? "a link" : found.isDirectory() ? "a folder" : "no plain file";
      throw new WhetstoneError("live-changed", `${step} is ${kind} now; it was not when the run began.`, {
        hint: "Put back what was there, or train the skill as it is now.",
      });
    }
  }
  return null;
}

/** Where a file of the skill lives. A path that leads out of the skill, or to hidden files, is refused. */
export function livePath(live: LiveSkill, path: string): string {
  if (live.kind === "file") return live.path;
  const names = path.split("/");
  const isPlain = (name: string) => name !== "" && !name.startsWith(".") && !/[\\\0]/.test(name);
  if (names.every(isPlain)) return join(live.path, ...names);
  throw new WhetstoneError("proposal-damaged", `The proposal names a file "${path}", outside of the skill.`, {
    hint: "Start the same `whetstone train` again: it writes the proposal anew, and a finished run is not paid twice.",
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

/** Where it is written which skill a run is about. */
export const targetPath = (journalDir: string, run: string): string =>
  join(journalDir, "targets", `${run}.json`);
