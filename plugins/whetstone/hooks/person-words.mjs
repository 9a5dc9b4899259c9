import { realpathSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";

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
  if (!plain && !/whetstone|cli\.m?js/.test(text)) return false;
  const places = /[\\/]/.test(text)
    ? [resolve(cwd, text)]
    : (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, text));
  return [text, ...places.map(realIfThere)].some((path) => ours.test(basename(path.replaceAll("\\", "/"))));
}

const ours = /^(?:whetstone(?:@.*|\.(?:cmd|ps1|exe|m?js))?|cli\.m?js|main\.ts)$/i;

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
