/**
 * A conversation ended: its id, as one line, goes into `sleep/ended` of an opted-in project's folder in the person's state.
 * Nothing of what was said is read, nothing is sent, and where nobody opted in nothing is written.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative } from "node:path";

const { cwd = "", session_id: id = "" } = JSON.parse(readFileSync(0, "utf8"));
for (let at = inMainWorktree(realpathSync.native(cwd)); ; at = dirname(at)) {
  const folder = join(stateFolder(), "projects", nameOf(at), "sleep");
  if (existsSync(join(folder, "consent.json"))) {
    appendFileSync(join(folder, "ended"), `${String(id).replaceAll(/[^\w-]/g, "")}\n`, { mode: 0o600 });
    break;
  }
  if (dirname(at) === at) break;
}

/** Worktrees of one repository share the main one's folder. */
function inMainWorktree(/** @type {string} */ folder) {
  for (let root = folder; dirname(root) !== root; root = dirname(root)) {
    const link = join(root, ".git");
    const found = /^gitdir: ((.+)[\\/]\.git[\\/]worktrees[\\/].+)$/m.exec(readSmall(link));
    // a project can contain any `.git` file, so the repository must name this folder in turn
    if (found && readSmall(join(found[1] ?? "", "gitdir")).trim() === link)
      return join(found[2] ?? "", relative(root, folder));
  }
  return folder;
}

/** Empty for what isn't a small plain file: a project can contain a pipe under any name. */
function readSmall(/** @type {string} */ path) {
  const file = lstatSync(path, { throwIfNoEntry: false });
  return file?.isFile() && file.size < 4096 ? readFileSync(path, "utf8") : "";
}

/** As `src/config/state-folder.ts` files it; a test compares them. */
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
