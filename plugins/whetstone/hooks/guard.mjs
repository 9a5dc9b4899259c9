/**
 * Refuses, before a tool of the agent is used, what is the person's to do: to change sealed files, to adopt or undo, to
 * consent. A rail and no box: it reads what a command says, not what a program that it starts will do.
 * `docs/plugins.md` says what it does not see.
 */
import { readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findSealed, realOf, sealedAt, sealedLike } from "./sealed.mjs";
import { readCommands } from "./shell-words.mjs";

/** @typedef {import("./shell-words.mjs").Word} Word */
/** @typedef {import("./sealed.mjs").Sealed} Sealed */
/** @typedef {{ from: string, cwd: string, sealed: Sealed, depth: number }} Place `from`: where the person is */

/**
 * Why a tool may not be used this way, and what the person can type; undefined where it may.
 *
 * @param {{ cwd?: string, tool_name?: string, tool_input?: Record<string, unknown> }} event as the agent's program sends it
 * @returns {string | undefined}
 */
export function refuse({ cwd = process.cwd(), tool_name: tool = "", tool_input: input = {} }) {
  const place = { from: cwd, cwd, sealed: findSealed(cwd), depth: 0 };
  const text = (/** @type {string} */ name) => {
    const value = input[name];
    return typeof value === "string"
      ? value
      : Array.isArray(value)
        ? value.map(String).map(quote).join(" ")
        : "";
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
  for (const { words, writes, body } of readCommands(script)) {
    const here = { ...place, cwd };
    const refused =
      refuseVerb(words, here) ??
      refuseWrites(words, writes, here) ??
      refuseInside([...words.map(({ text }) => text), body], words, here);
    if (refused !== undefined) return refused;
    const [program, to] = words;
    if ((program?.text === "cd" || program?.text === "pushd") && to?.plain === true)
      cwd = resolve(cwd, to.text);
  }
  return undefined;
}

/** What is a person's word: these always, and those with the flag that answers for them. */
const [verbs, answered] = [
  ["adopt", "undo", "sleep adopt", "sleep undo"],
  ["trust", "sleep init", "sleep schedule"],
];

function refuseVerb(/** @type {Word[]} */ words, /** @type {Place} */ { cwd }) {
  for (const [at, word] of words.entries()) {
    const rest = words.slice(at + 1);
    const named = rest.filter(({ text }) => !text.startsWith("-"));
    const [first, second] = named[0]?.text === "sleep" ? [named[0], named[1]] : [named[0]];
    const verb = [first?.text, second?.text].filter((one) => one !== undefined).join(" ");
    const isHelp = rest.some(({ text }) => text === "--help" || text === "-h");
    const isMeant =
      verbs.includes(verb) ||
      (answered.includes(verb) && rest.some(({ text }) => text === "--yes")) ||
      (at === programAt(words) && [first, second].some((one) => one !== undefined && isMadeUp(one)));
    if (!isMeant || isHelp || !isOurs(word, cwd)) continue;
    const typed = ["whetstone", ...rest.map(({ text }) => quote(text))].join(" ");
    return `whetstone: this is the person's to say, not yours. Show them what it would do, and let them type it: ! ${typed} (or the same without "! " in a terminal of their own).`;
  }
  return undefined;
}

/** Where the program is named, behind assignments and whatever only starts another one. */
const programAt = (/** @type {Word[]} */ words) =>
  words.findIndex(({ text }) => !/^\w+=|^-/.test(text) && !wrappers.has(basename(text)));

/** The shell would make another word of it. */
const isMadeUp = (/** @type {Word} */ { text, plain }) => !plain || /[*?[\]{}]/.test(text);

/** Whether a word starts whetstone: by its name, its file, or a link to it. */
function isOurs(/** @type {Word} */ { text, plain }, /** @type {string} */ cwd) {
  if (!plain && !/whetstone|cli\.m?js/.test(text)) return false;
  const places = /[\\/]/.test(text)
    ? [resolve(cwd, text)]
    : (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, text));
  return [text, ...places.map(realIfThere)].some((path) => ours.test(basename(path.replaceAll("\\", "/"))));
}

const ours = /^(?:whetstone(?:@.*|\.(?:cmd|ps1|exe|m?js))?|cli\.m?js|main\.ts)$/i;

function realIfThere(/** @type {string} */ path) {
  try {
    return realpathSync(path);
  } catch {
    return "";
  }
}

const quote = (/** @type {string} */ text) =>
  /^[\w./:=@,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Sealed files may be named by programs that only read, and by whetstone; all others are refused. */
function refuseWrites(/** @type {Word[]} */ words, /** @type {Word[]} */ writes, /** @type {Place} */ place) {
  const { cwd, sealed } = place;
  const lead = (/** @type {Word} */ { text }) => {
    const path = resolve(
      cwd,
      text.replace(/^-{0,2}[\w-]+=/, "").replace(/^~(?=\/|$)/, process.env["HOME"] ?? "~"),
    );
    return /[*?[{]/.test(path) ? sealedLike(path, sealed) : sealedAt(path, sealed);
  };
  for (const word of writes) {
    const found = lead(word);
    if (found !== undefined) return sealedSentence(found, place);
  }
  const isOutput = words.map((_, at) => /^--(?:out|to|output)$/.test(words[at - 1]?.text ?? ""));
  for (const [at, word] of words.entries()) {
    const found = word.text.startsWith("-") && !word.text.includes("=") ? undefined : lead(word);
    if (found === undefined) continue;
    const program = words[programAt(words)];
    const isWhetstone = program !== undefined && isOurs(program, cwd);
    if (isWhetstone ? isOutput[at] === true : !isReading(words, at)) return sealedSentence(found, place);
  }
  return undefined;
}

function isReading(/** @type {Word[]} */ words, /** @type {number} */ at) {
  const from = programAt(words);
  const [program = "", ...args] = words.slice(from).map(({ text }) => text);
  const name = basename(program);
  if (from === at) return false;
  if (name === "git") return gitReads.has(args.find((arg) => !arg.startsWith("-")) ?? "");
  // what is copied is read; where it is copied to is not
  if (name === "cp")
    return (
      at < words.length - 1 && !args.some((arg) => /^(?:-\w*[lst]|--(?:link|symbolic|target))/.test(arg))
    );
  if (name === "sed") return !args.some((arg) => /^(?:-[a-z]*i|--in-place)/i.test(arg));
  if (name === "find") return !args.some((arg) => /^-(?:delete|exec|ok|fprint|fls)/.test(arg));
  return readers.has(name);
}

const wrappers = new Set(
  "command builtin exec env nohup time nice sudo then do else if while ! { npx npm pnpm yarn bunx bun dlx node".split(
    " ",
  ),
);
const readers = new Set(
  `cat bat head tail less more nl wc grep egrep fgrep rg ls tree stat file du jq cut diff cmp comm sha256sum
  sha1sum md5sum shasum cksum xxd od hexdump strings realpath readlink basename dirname test [ echo printf cd pushd`.split(
    /\s+/,
  ),
);
const gitReads = new Set("diff log show status add commit blame ls-files grep check-ignore".split(" "));

/** Shells are given scripts as words; what is given to an interpreter is searched for names alone. */
function refuseInside(
  /** @type {string[]} */ texts,
  /** @type {Word[]} */ words,
  /** @type {Place} */ place,
) {
  const { sealed, depth } = place;
  const names = words.map(({ text }) => basename(text).replace(/[\d.]+$/, ""));
  const scripts = texts.filter((text) => /\s/.test(text));
  if (depth < 8 && names.some((name) => shells.has(name)))
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
const writing =
  /write|append|unlink|remove|rename|truncate|rmtree|rmSync|copy|move|dump\(|system|exec|spawn|["'](?:[wax]|r\+)[bt]*\+?["']|>/i;
const interpreters = new Set("python node deno bun perl ruby php osascript tsx".split(" "));

function sealedSentence(/** @type {string} */ found, /** @type {Place} */ { from, sealed }) {
  const shown = (/** @type {string} */ path) => relative(realOf(from), path) || path;
  if (!sealed.files.includes(found))
    return `whetstone: ${shown(found)} is Whetstone's own record, which only its commands write. Ask the person if something there is to go; \`whetstone runs rm <run>\` forgets a run.`;
  const list = shown(join(sealed.folders[0] ?? "", "sealed.json"));
  return `whetstone: ${shown(found)} is sealed: a run has used its test tasks, and whoever is measured by them may not change them. Read it with cat, grep or jq. The person can change it themselves, or open it for you until the next run by typing: ! rm ${list}`;
}

/** A refusal in the form that the agent's program reads. */
function answerTo(/** @type {Record<string, unknown>} */ event, /** @type {string} */ reason) {
  const decision = { permissionDecision: "deny", permissionDecisionReason: reason };
  if (event["hook_event_name"] === "BeforeTool") return { decision: "deny", reason };
  if (event["toolName"] !== undefined) return decision;
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } };
}

if (import.meta.url === pathToFileURL(realIfThere(process.argv[1] ?? "")).href) {
  const event = JSON.parse(readFileSync(0, "utf8"));
  // Copilot CLI gives what its tools are given as text
  const given =
    typeof event.toolArgs === "string"
      ? { ...event, tool_name: event.toolName, tool_input: JSON.parse(event.toolArgs) }
      : event;
  const reason = refuse(given);
  if (reason !== undefined) process.stdout.write(JSON.stringify(answerTo(event, reason)));
}
