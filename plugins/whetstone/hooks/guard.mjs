/**
 * Refuses, before a tool of the agent is used, what is the person's to do: to change sealed files, to adopt or undo, to
 * consent. A rail and no box: it reads what a command says, not what a program that it starts will do.
 * `docs/plugins.md` says what it does not see.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { quote, realIfThere, refuseVerb } from "./person-words.mjs";
import { findSealed, sealedAt } from "./sealed.mjs";
import { refuseWrites, sealedSentence } from "./sealed-writes.mjs";
import { readCommands } from "./shell-words.mjs";

/** @typedef {import("./shell-words.mjs").Word} Word */
/** @typedef {import("./sealed-writes.mjs").Place} Place */

/**
 * Why a tool may not be used this way, and what the person can type; undefined where it may.
 *
 * @param {{ cwd?: string, tool_name?: string, tool_input?: Record<string, unknown> }} event as the agent's program sends it
 * @returns {string | undefined}
 */
export function refuse({ cwd = process.cwd(), tool_name: tool = "", tool_input: input = {} }) {
  if (typeof input !== "object") throw new TypeError("what the tool is given is not an object");
  const place = { from: cwd, cwd, sealed: findSealed(cwd), depth: 0 };
  const text = (/** @type {string} */ name) => {
    const value = input[name] ?? "";
    if (Array.isArray(value)) return value.map(String).map(quote).join(" ");
    if (typeof value !== "string" && (name === "command" || name === "cmd"))
      throw new TypeError(`${name} is not a text`);
    return typeof value === "string" ? value : "";
  };
  const paths = /^(?:read|grep|glob|ls$|list|find|search|view)/i.test(tool) ? [] : pathNames.map(text);
  for (const path of paths) {
    const found = path === "" ? undefined : sealedAt(resolve(cwd, path), place.sealed);
    if (found !== undefined) return sealedSentence(found, place);
  }
  const script = [text("command"), text("cmd"), text("input"), text("patch")].join("\n");
  return refusePatch(script, place) ?? refuseScript(script, place);
}

const pathNames = ["file_path", "notebook_path", "path", "filePath"];

/** Codex names the files of a patch in the patch itself. */
function refusePatch(/** @type {string} */ script, /** @type {Place} */ place) {
  for (const [, path = ""] of script.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)) {
    const found = sealedAt(resolve(place.cwd, path.trim()), place.sealed);
    if (found !== undefined) return sealedSentence(found, place);
  }
  return undefined;
}

/**
 * @param {string} script
 * @param {Place} place
 * @returns {string | undefined}
 */
function refuseScript(script, place) {
  let { cwd } = place;
  const commands = readCommands(script);
  const isFed = commands.some(
    ({ words }) => isShell(words[0]) && words.slice(1).every(({ text }) => text.startsWith("-")),
  );
  for (const { words, writes, body } of commands) {
    const here = { ...place, cwd, isFed };
    const refused =
      refuseVerb(words, cwd) ??
      refuseWrites(words, writes, here) ??
      refuseInside([...words.map(({ text }) => text), body], words, here);
    if (refused !== undefined) return refused;
    const [program, to] = words;
    if ((program?.text === "cd" || program?.text === "pushd") && to?.plain) cwd = resolve(cwd, to.text);
  }
  return undefined;
}

/** Shells are given scripts as words; what is given to an interpreter is searched for names alone. */
function refuseInside(
  /** @type {string[]} */ texts,
  /** @type {Word[]} */ words,
  /** @type {Place} */ place,
) {
  const { sealed, depth, isFed = false } = place;
  const names = words.map(({ text }) => basename(text).replace(/[\d.]+$/, ""));
  const scripts = texts.filter((text) => /\s/.test(text));
  if (depth < 8 && (isFed || words.some(isShell)))
    for (const script of scripts) {
      const refused = refuseScript(script, { ...place, depth: depth + 1 });
      if (refused !== undefined) return refused;
    }
  if (!names.some((name) => interpreters.has(name))) return undefined;
  for (const code of texts.filter((text) => /[\s(;]/.test(text))) {
    if (/whetstone|cli\.m?js/i.test(code) && /\b(?:adopt|undo)\b/.test(code))
      return "whetstone: to adopt and to undo is the person's to say, not yours. Let them type it: ! whetstone adopt (or `whetstone sleep adopt` for what a night proposed).";
    const found =
      sealed.files.find((file) => code.includes(basename(file))) ??
      (code.includes(".whetstone") ? sealed.folders[0] : undefined);
    if (found !== undefined && writing.test(code)) return sealedSentence(found, place);
  }
  return undefined;
}

const shells = new Set(
  "sh bash zsh dash ksh ash fish eval su ssh watch script parallel xargs pwsh powershell cmd".split(" "),
);
const isShell = (/** @type {Word | undefined} */ word) => shells.has(basename(word?.text ?? ""));
const writing =
  /write|append|unlink|remove|rename|truncate|rmtree|rmSync|copy|move|dump\(|system|exec|spawn|["'](?:[wax]|r\+)[bt]*\+?["']|>/i;
const interpreters = new Set("python node deno bun perl ruby php osascript tsx".split(" "));

/** A refusal in the form that the agent's program reads. */
function answerTo(/** @type {Record<string, unknown>} */ event, /** @type {string} */ reason) {
  const decision = { permissionDecision: "deny", permissionDecisionReason: reason };
  if (event["hook_event_name"] === "BeforeTool") return { decision: "deny", reason };
  if (event["toolName"] !== undefined) return decision;
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } };
}

/** What can't be judged isn't done: whoever wants it by mistake writes it simpler, and a person can type it. */
const unjudged = (/** @type {string} */ why) =>
  `whetstone: this could not be checked (${why}), so it is not run. Write it in a simpler way, or let the person type it.`;

/**
 * As `refuse`, for programs that load this file: a failure is a refusal.
 *
 * @param {Parameters<typeof refuse>[0]} event
 */
export function refuseOrFail(event) {
  try {
    return refuse(event);
  } catch (error) {
    return unjudged(String(error).split("\n", 1)[0] ?? "");
  }
}

const mostMs = 5000;

/** In a process of its own, which can be ended whatever it does: agents run what a hook that fails or is late was asked about. */
function refuseInTime(/** @type {object} */ event) {
  const file = fileURLToPath(import.meta.url);
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [file, "--judge"], {
    input: JSON.stringify(event),
    encoding: "utf8",
    timeout: mostMs,
    killSignal: "SIGKILL",
  });
  if (status === 0) return stdout === "" ? undefined : stdout;
  const fault = /^\w*Error\b.*/m.exec(stderr ?? "")?.[0] ?? "it failed";
  return unjudged(signal === null ? fault : `it took more than ${mostMs / 1000} seconds`);
}

if (import.meta.url === pathToFileURL(realIfThere(process.argv[1] ?? "")).href) {
  if (process.argv[2] === "--judge") process.stdout.write(refuse(JSON.parse(readFileSync(0, "utf8"))) ?? "");
  else
    try {
      const event = JSON.parse(readFileSync(0, "utf8"));
      // Copilot CLI gives what its tools are given as text
      const given =
        typeof event.toolArgs === "string"
          ? { ...event, tool_name: event.toolName, tool_input: JSON.parse(event.toolArgs) }
          : event;
      const reason = refuseInTime(given);
      if (reason !== undefined) process.stdout.write(JSON.stringify(answerTo(event, reason)));
    } catch (error) {
      // the exit code by which agents take a hook's word for no
      process.stderr.write(unjudged(String(error)));
      process.exitCode = 2;
    }
}
