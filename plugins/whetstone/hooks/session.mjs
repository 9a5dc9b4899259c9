/**
 * When a conversation starts, the person gets one line if rules wait for them or nights fail. When it ends, its id goes into
 * `sleep/ended` as one line. Both happen only in projects that were opted in, and only use the project's folder in the person's
 * state: they read nothing of the project or the conversation, and send nothing. If the person asked for it, the end of a
 * conversation also starts `whetstone sleep note`.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { foldersAbove, readSmall } from "./state.mjs";

const { cwd = "", session_id: id = "", hook_event_name: event = "" } = JSON.parse(readFileSync(0, "utf8"));
for (const { state } of foldersAbove(cwd)) {
  const folder = join(state, "sleep");
  if (!existsSync(join(folder, "consent.json"))) continue;
  if (event === "SessionStart") tell([failing(folder), waiting(folder)]);
  else {
    appendFileSync(join(folder, "ended"), `${String(id).replaceAll(/[^\w-]/g, "")}\n`, { mode: 0o600 });
    if (readNote(join(folder, "consent.json")).noteAtEnd === true) note();
  }
  break;
}

/** Notes the person's corrections after the conversation, with the program that they installed. */
function note() {
  const isWindows = process.platform === "win32";
  // Windows would look for the command in the project's folder first
  const env = { ...process.env, NoDefaultCurrentDirectoryInExePath: "1" };
  const how = /** @type {const} */ ({ cwd, env, shell: isWindows, detached: true, stdio: "ignore" });
  spawn("whetstone", ["sleep", "note", "--unattended"], how)
    .on("error", () => {})
    .unref();
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
