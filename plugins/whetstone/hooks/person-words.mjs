import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";

/** @typedef {import("./shell-words.mjs").Word} Word */

/** What is a person's word: these always, and those with the flag that answers for them. */
const [verbs, answered] = [
  ["adopt", "undo", "sleep adopt", "sleep undo"],
  ["trust", "sleep init", "sleep schedule"],
];

export function refuseVerb(/** @type {Word[]} */ words, /** @type {string} */ cwd) {
  for (const [at, word] of words.entries()) {
    const rest = words.slice(at + 1);
    const named = rest.filter(({ text }) => !text.startsWith("-"));
    const [first, second] = named[0]?.text === "sleep" ? [named[0], named[1]] : [named[0]];
    const verb = [first?.text, second?.text].filter((one) => one !== undefined).join(" ");
    // right behind the verb: further on it may be what a flag is given
    const next = rest.findIndex((one) => one === (second ?? first)) + 1;
    const isHelp = rest[next]?.text === "--help" || rest[next]?.text === "-h";
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
export const programAt = (/** @type {Word[]} */ words) =>
  words.findIndex(({ text }) => !/^\w+=|^-/.test(text) && !wrappers.has(basename(text)));

/** The shell would make another word of it. */
const isMadeUp = (/** @type {Word} */ { text, plain }) => !plain || /[*?[\]{}]/.test(text);

/** Whether a word starts whetstone: by its name, its file, or a link to it. */
export function isOurs(/** @type {Word} */ { text, plain }, /** @type {string} */ cwd) {
  // where such a word leads is not known, so its own letters must say it
  if (!plain) return /whetstone/i.test(text) && (ours.test(baseOf(text)) || entry.test(baseOf(text)));
  if (ours.test(baseOf(text))) return true;
  const folders = /[\\/]/.test(text) ? [] : (process.env["PATH"] ?? "").split(delimiter);
  return (
    [resolve(cwd, fromHome(text)), ...folders.map((folder) => join(folder, text))]
      .map(realIfThere)
      // a folder that is called so starts nothing
      .filter((path) => path !== "" && statSync(path).isFile())
      .some(
        (path) => ours.test(baseOf(path)) || (entry.test(baseOf(path)) && packageOf(path) === "whetstone"),
      )
  );
}

const ours = /^whetstone(?:@.*|\.(?:cmd|ps1|exe|m?js))?$/i;
/** Files that start it; many programs have some that are called so. */
const entry = /^(?:cli\.m?js|main\.ts)$/i;

const baseOf = (/** @type {string} */ path) => basename(path.replaceAll("\\", "/"));

export const fromHome = (/** @type {string} */ path) =>
  path.replace(/^~(?=\/|$)/, process.env["HOME"] ?? "~");

/** The name of the package that a file is of. */
function packageOf(/** @type {string} */ file) {
  for (let at = dirname(file); ; at = dirname(at)) {
    const manifest = join(at, "package.json");
    if (existsSync(manifest)) return nameIn(manifest);
    if (at === dirname(at)) return undefined;
  }
}

function nameIn(/** @type {string} */ manifest) {
  try {
    return JSON.parse(readFileSync(manifest, "utf8")).name;
  } catch {
    return undefined;
  }
}

export function realIfThere(/** @type {string} */ path) {
  try {
    return realpathSync(path);
  } catch {
    return "";
  }
}

export const quote = (/** @type {string} */ text) =>
  /^[\w./:=@,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const wrappers = new Set(
  "command builtin exec env nohup time nice sudo then do else if while ! { npx npm pnpm yarn bunx bun dlx node".split(
    " ",
  ),
);
