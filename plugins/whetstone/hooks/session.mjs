/**
 * A conversation begins: one line for the person, if rules wait for them or nights fail. A conversation ends: its id, as one
 * line, goes into `sleep/ended`. Both only in a project that was opted in, and both know nothing but its folder in the person's
 * state: of the project and of what was said nothing is read, nothing is sent.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative } from "node:path";

const { cwd = "", session_id: id = "", hook_event_name: event = "" } = JSON.parse(readFileSync(0, "utf8"));
for (let at = inMainWorktree(realpathSync.native(cwd)); ; at = dirname(at)) {
  const folder = join(stateFolder(), "projects", nameOf(at), "sleep");
  if (existsSync(join(folder, "consent.json"))) {
    if (event === "SessionStart") tell([failing(folder), waiting(folder)]);
    else appendFileSync(join(folder, "ended"), `${String(id).replaceAll(/[^\w-]/g, "")}\n`, { mode: 0o600 });
    break;
  }
  if (dirname(at) === at) break;
}

/** A message to the person: the model doesn't see it. */
function tell(/** @type {readonly string[]} */ sentences) {
  const said = sentences.filter((sentence) => sentence !== "").join(" ");
  if (said !== "") console.log(JSON.stringify({ systemMessage: `Whetstone: ${said}` }));
}

function failing(/** @type {string} */ folder) {
  const { body } = readNote(join(folder, "failed.json"));
  if (!(body?.count > 0)) return "";
  const day = new Intl.DateTimeFormat("en", { weekday: "long" }).format(body.at[0]);
  const isLong = Date.now() - body.at[0] > 6 * 86_400_000;
  const since = isLong ? new Date(body.at[0]).toISOString().slice(0, 10) : day;
  const why = String(body.message).replaceAll(/\p{C}/gu, " ").slice(0, 160);
  return `nights fail since ${since}: ${why} (whetstone sleep status)`;
}

function waiting(/** @type {string} */ folder) {
  const { rules = 0, working = 0 } = readNote(join(folder, "waiting.json"));
  if (!(rules > 0)) return "";
  const works = working > 0 ? `, ${working} ${working === 1 ? "works" : "work"} on your tasks` : "";
  return `${rules} ${rules === 1 ? "rule waits" : "rules wait"} for you${works} (whetstone review).`;
}

function readNote(/** @type {string} */ path) {
  try {
    return JSON.parse(readSmall(path));
  } catch {
    return {};
  }
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
