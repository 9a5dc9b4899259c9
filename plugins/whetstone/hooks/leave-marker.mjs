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
    const file = lstatSync(join(root, ".git"), { throwIfNoEntry: false });
    if (file === undefined) continue;
    const named = file.isFile() && file.size < 4096 ? readFileSync(join(root, ".git"), "utf8") : "";
    const [, own = "", main = ""] = /^gitdir: ((.+)[\\/]\.git[\\/]worktrees[\\/].+)$/m.exec(named) ?? [];
    // a project can contain any `.git` file, so the repository must name this folder in turn
    const back = join(own, "gitdir");
    const isNamed = existsSync(back) && readFileSync(back, "utf8").trim() === join(root, ".git");
    return isNamed ? join(main, relative(root, folder)) : folder;
  }
  return folder;
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
