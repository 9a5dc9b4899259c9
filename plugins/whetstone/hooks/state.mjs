import { createHash } from "node:crypto";
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** The folder and its parents, each with its folder in the person's state, which may not exist. */
export function* foldersAbove(/** @type {string} */ cwd) {
  let folder = cwd;
  for (let at = inMainWorktree(realpathSync.native(cwd)); ; at = dirname(at), folder = dirname(folder)) {
    yield { folder, state: join(stateFolder(), "projects", nameOf(at)) };
    if (dirname(at) === at) return;
  }
}

/** Worktrees of one repository share the main one's folder. */
function inMainWorktree(/** @type {string} */ folder) {
  for (let root = folder; ; root = dirname(root)) {
    const main = mainOf(root);
    if (main !== "") return join(main, relative(root, folder));
    if (dirname(root) === root) return folder;
  }
}

/** A project can contain any `.git` file, so the repository must name this folder too, and both must be where git puts them. */
function mainOf(/** @type {string} */ root) {
  try {
    const named = /^gitdir: (.+)$/m.exec(readSmall(join(root, ".git")))?.[1];
    if (named === undefined) return "";
    const own = realpathSync(resolve(root, named));
    const back = resolve(own, readSmall(join(own, "gitdir")).trim());
    const common = dirname(dirname(own));
    const isNamed = join(realpathSync(dirname(back)), basename(back)) === join(root, ".git");
    const isWhole = realpathSync(resolve(own, readSmall(join(own, "commondir")).trim())) === common;
    if (!isNamed || !isWhole) return "";
    return basename(common) === ".git" ? dirname(common) : common;
  } catch {
    return "";
  }
}

/** Empty for what isn't a small plain file: a project can contain a pipe under any name. */
export function readSmall(/** @type {string} */ path, most = 4096) {
  const file = lstatSync(path, { throwIfNoEntry: false });
  return file?.isFile() && file.size < most ? readFileSync(path, "utf8") : "";
}

/** The same name as in `src/config/state-folder.ts`; a test compares them. */
function nameOf(/** @type {string} */ project) {
  const name =
    basename(project)
      .replaceAll(/[^\w.-]/g, "_")
      .slice(0, 40) || "root";
  return `${name}-${createHash("sha256").update(project).digest("hex").slice(0, 16)}`;
}

function stateFolder() {
  const { WHETSTONE_STATE: own = "", XDG_STATE_HOME: named = "", LOCALAPPDATA: local } = process.env;
  if (isAbsolute(own)) return own;
  if (process.platform === "win32") return join(local ?? join(homedir(), "AppData", "Local"), "whetstone");
  if (isAbsolute(named)) return join(named, "whetstone");
  return process.platform === "darwin"
    ? join(homedir(), "Library", "Application Support", "whetstone")
    : join(homedir(), ".local", "state", "whetstone");
}
