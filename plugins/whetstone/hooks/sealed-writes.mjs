import { basename, join, relative, resolve } from "node:path";
import { fromHome, isOurs, programAt } from "./person-words.mjs";
import { realOf, sealedAt, sealedLike } from "./sealed.mjs";

/** @typedef {import("./shell-words.mjs").Word} Word */
/** @typedef {import("./sealed.mjs").Sealed} Sealed */

/**
 * @typedef {object} Place
 * @property {string} from where the person is
 * @property {string} cwd
 * @property {Sealed} sealed
 * @property {number} depth of scripts in scripts
 * @property {boolean} [isFed] a shell reads what other commands of the script print
 */

/** Sealed files may be named by programs that only read, and by whetstone; all others are refused. */
export function refuseWrites(
  /** @type {Word[]} */ words,
  /** @type {Word[]} */ writes,
  /** @type {Place} */ place,
) {
  const { cwd, sealed } = place;
  const lead = (/** @type {Word} */ { text }) => {
    const path = resolve(cwd, fromHome(text.replace(/^-{0,2}[\w-]+=/, "")));
    return /[*?[{]/.test(path) ? sealedLike(path, sealed) : sealedAt(path, sealed);
  };
  for (const word of writes) {
    const found = lead(word);
    if (found !== undefined) return sealedSentence(found, place);
  }
  const isOutput = words.map(
    ({ text }, at) =>
      /^--(?:out|to|output)=/.test(text) || /^--(?:out|to|output)$/.test(words[at - 1]?.text ?? ""),
  );
  for (const [at, word] of words.entries()) {
    const found = word.text.startsWith("-") && !word.text.includes("=") ? undefined : lead(word);
    if (found === undefined) continue;
    const program = words[programAt(words)];
    const isWhetstone = program !== undefined && isOurs(program, cwd);
    if (isWhetstone ? isOutput[at] : !isReading(words, at)) return sealedSentence(found, place);
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

const readers = new Set(
  `cat bat head tail less more nl wc grep egrep fgrep rg ls tree stat file du jq cut diff cmp comm sha256sum
  sha1sum md5sum shasum cksum xxd od hexdump strings realpath readlink basename dirname test [ echo printf cd pushd`.split(
    /\s+/,
  ),
);
const gitReads = new Set("diff log show status add commit blame ls-files grep check-ignore".split(" "));

/** Why, and what the person can type. */
export function sealedSentence(/** @type {string} */ found, /** @type {Place} */ { from, sealed }) {
  const shown = (/** @type {string} */ path) => relative(realOf(from), path) || path;
  if (!sealed.files.includes(found))
    return `whetstone: ${shown(found)} is Whetstone's own record, which only its commands write. Ask the person if something there is to go; \`whetstone runs rm <run>\` forgets a run.`;
  const list = shown(join(sealed.folders[0] ?? "", "sealed.json"));
  return `whetstone: ${shown(found)} is sealed: a run has used its test tasks, and whoever is measured by them may not change them. Read it with cat, grep or jq. The person can change it themselves, or open it for you until the next run by typing: ! rm ${list}`;
}
