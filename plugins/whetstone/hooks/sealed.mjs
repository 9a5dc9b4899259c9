import { existsSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { escapeRegExp } from "./shell-words.mjs";

/**
 * What only Whetstone and a person write.
 *
 * @typedef {object} Sealed
 * @property {string[]} folders `.whetstone` of this project and those above it, and the person's own state
 * @property {string[]} files those that `.whetstone/sealed.json` lists: they hold test tasks that a run has used
 */

/**
 * @param {string} cwd
 * @param {Readonly<Record<string, string | undefined>>} [env]
 * @returns {Sealed}
 */
export function findSealed(cwd, env = process.env) {
  const journals = [];
  for (let at = cwd; ; at = dirname(at)) {
    if (isFolder(join(at, ".whetstone"))) journals.push(realOf(join(at, ".whetstone")));
    if (at === dirname(at)) break;
  }
  return {
    folders: [...journals, ...stateFolders(env).map(realOf)],
    files: journals.flatMap((folder) => listed(folder).map((path) => realOf(resolve(folder, path)))),
  };
}

/** Where the person's consents are kept: `src/config/state-folder.ts` says which of them it is. */
const stateFolders = (/** @type {Readonly<Record<string, string | undefined>>} */ env) => [
  ...(env["XDG_STATE_HOME"] === undefined ? [] : [join(env["XDG_STATE_HOME"], "whetstone")]),
  ...(env["LOCALAPPDATA"] === undefined ? [] : [join(env["LOCALAPPDATA"], "whetstone")]),
  join(homedir(), ".local", "state", "whetstone"),
  join(homedir(), "Library", "Application Support", "whetstone"),
];

/** @returns {string[]} */
function listed(/** @type {string} */ folder) {
  // one that is there and can't be read is a failure: nobody knows what it seals
  const path = join(folder, "sealed.json");
  if (!existsSync(path)) return [];
  const { files } = JSON.parse(readFileSync(path, "utf8"));
  return files.map(String);
}

/**
 * The sealed file or folder that a path leads to, by whatever way; undefined where it leads to none.
 *
 * @param {string} path absolute
 * @param {Sealed} sealed
 */
export function sealedAt(path, { folders, files }) {
  const real = realOf(path);
  const folder = folders.find((one) => isIn(real, one));
  // answers to a night by hand are the agent's to write
  if (folder !== undefined) return isAnswer(relative(folder, real)) ? undefined : real;
  return files.find((one) => isIn(real, one) || isSameFile(real, one));
}

/** The sealed ones that a pattern of a shell would name. */
export function sealedLike(/** @type {string} */ pattern, /** @type {Sealed} */ { folders, files }) {
  const parts = pattern.split(/(\*\*?|\?|\[[^\]]*\]|\{[^}]*\})/).map((part, at) => {
    if (at % 2 === 0) return escapeRegExp(part);
    if (part.startsWith("{")) return `(?:${part.slice(1, -1).split(",").map(escapeRegExp).join("|")})`;
    return part === "?" ? "[^/]" : part.startsWith("*") ? "[^/]*" : part.replace("[!", "[^");
  });
  const shape = new RegExp(`^${parts.join("")}(?:/.*)?$`);
  return [...files, ...folders].find((one) => shape.test(one));
}

const isAnswer = (/** @type {string} */ path) => /^handoff[\\/]answers(?:\.md$|[\\/]|$)/.test(path);

const isIn = (/** @type {string} */ path, /** @type {string} */ folder) =>
  path === folder || path.startsWith(`${folder}${sep}`);

/** Two names of one file: a hard link, or a file system that does not tell case. */
function isSameFile(/** @type {string} */ a, /** @type {string} */ b) {
  try {
    const [one, other] = [statSync(a), statSync(b)];
    return one.isFile() && one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false;
  }
}

function isFolder(/** @type {string} */ path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * With links resolved as far as it is there; a link may lead to what is not there yet.
 *
 * @param {string} path
 * @returns {string}
 */
export function realOf(path, depth = 0) {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || depth > 200) return path;
    const link = linkAt(path);
    return link === undefined
      ? join(realOf(parent, depth + 1), basename(path))
      : realOf(resolve(parent, link), depth + 1);
  }
}

function linkAt(/** @type {string} */ path) {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
