import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { readProjectText } from "../project-file.ts";

/**
 * The same folder in the repository's main worktree, or the folder itself if it isn't in a linked one. A project can
 * contain any `.git` file, so the repository must name this worktree too, as `git worktree add` sets up.
 */
export function mainWorktree(folder: string): string {
  for (let root = folder; ; root = dirname(root)) {
    const main = mainOf(root);
    if (main !== undefined) return join(main, relative(root, folder));
    if (dirname(root) === root) return folder;
  }
}

/** The root of a folder's repository, or the folder itself if it isn't in one. */
export function repositoryOf(folder: string): string {
  for (let root = folder; ; root = dirname(root)) {
    if (existsSync(join(root, ".git"))) return root;
    if (dirname(root) === root) return folder;
  }
}

function mainOf(root: string): string | undefined {
  try {
    const named = /^gitdir: (.+)$/m.exec(readLine(join(root, ".git")))?.[1];
    if (named === undefined) return undefined;
    const own = realpathSync(resolve(root, named));
    const back = resolve(own, readLine(join(own, "gitdir")).trim());
    if (join(realpathSync(dirname(back)), basename(back)) !== join(root, ".git")) return undefined;
    const common = dirname(dirname(own));
    if (realpathSync(resolve(own, readLine(join(own, "commondir")).trim())) !== common) return undefined;
    return basename(common) === ".git" ? dirname(common) : common;
  } catch {
    return undefined;
  }
}

const readLine = (path: string): string => readProjectText(path, { most: 4096 });
