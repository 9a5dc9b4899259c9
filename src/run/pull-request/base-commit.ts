import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isWithin } from "../../adapters/project-matcher.ts";
import { layOutCommit, runGit } from "../git.ts";

/** The project at the base commit, in a folder outside the checkout. */
export interface BaseCommit {
  /** The project's folder at the base commit. */
  readonly cwd: string;
  /** Maps a path in the checkout to the base commit. Other paths stay. */
  readonly inBase: (path: string) => string;
  /** Maps a path in the base commit to the checkout. Other paths stay. */
  readonly inCheckout: (path: string) => string;
  close(): Promise<void>;
}

export async function openBase(project: string, commit: string): Promise<BaseCommit> {
  const cwd = await realpath(project);
  const root = await realpath((await runGit(cwd, ["rev-parse", "--show-toplevel"])).trimEnd());
  const folder = await realpath(await mkdtemp(join(tmpdir(), "whetstone-base-")));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    await layOutCommit(root, commit, folder);
    // the project may be new in the branch
    await mkdir(moved(cwd, root, folder), { recursive: true });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    cwd: moved(cwd, root, folder),
    inBase: (path) => moved(path, root, folder),
    inCheckout: (path) => moved(path, folder, root),
    close,
  };
}

const moved = (path: string, from: string, to: string): string =>
  isWithin(path, from) ? join(to, relative(from, path)) : path;
