import {
  type Stats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  opendirSync,
  readSync,
  readdirSync,
  realpathSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import { notAFile } from "./read-plain-file.ts";
import { isWithin } from "./project-matcher.ts";

/*
 * The one reader for files that a project brings: configs, skills, suites and whatever they name. The author of a clone
 * chooses every name and link in it, so nothing here leaves the project, waits for a pipe, or reads without a bound.
 *
 * `named` is the path that a person or a config wrote, and it may be anywhere: it vouches for the project around it (see
 * `projectRoot`), not for where the links of that project lead.
 */

/** A file's bytes. A link may lead anywhere in the project, never out of it: a clone could send its reader's keys to a model that way. */
export function readProjectFile(path: string, { named = path, most = maxBytes }: ReadOptions = {}): Buffer {
  const file = openSync(refuseOutside(path, named), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw notAFile(path, facts);
    if (facts.size > most) throw tooLarge(path, facts.size, most);
    // not one byte more than its size: files of /proc have none, and a file that grows would never end
    const bytes = Buffer.alloc(facts.size);
    let filled = 0;
    for (let got = 1; got > 0 && filled < bytes.length; filled += got)
      got = readSync(file, bytes, filled, bytes.length - filled, null);
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

export interface ReadOptions {
  /** @default the path itself */
  readonly named?: string;
  /** The most bytes that a file of this kind may have. @default 32 MB */
  readonly most?: number;
}

export const readProjectText = (path: string, options?: ReadOptions): string =>
  readProjectFile(path, options).toString();

/** Parsed, a file takes several times its size: with more than this a command would need over 512 MB. */
const maxBytes = 32 * 1024 * 1024;

export interface ProjectEntry {
  readonly name: string;
  /** Of the entry itself: a link is neither. */
  readonly kind: "file" | "folder" | "other";
}

/** What a folder of the project contains, by name. */
export function listProjectFolder(path: string, named: string = path): readonly ProjectEntry[] {
  const folder = opendirSync(refuseOutside(path, named));
  try {
    const entries: ProjectEntry[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length === maxEntries)
        throw new WhetstoneError("usage", `${path} contains more than ${maxEntries} files.`, {
          hint: "Move them into folders of their own, or name one of them.",
        });
      entries.push({ name: entry.name, kind: kindOf(entry) });
    }
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    folder.closeSync();
  }
}

const maxEntries = 10_000;

/** What a path leads to; undefined for nothing. */
export function kindAt(path: string): ProjectEntry["kind"] | undefined {
  try {
    return kindOf(statSync(path));
  } catch {
    return undefined;
  }
}

export const isThere = (path: string): boolean => kindAt(path) !== undefined;

const kindOf = (facts: Pick<Stats, "isFile" | "isDirectory">): ProjectEntry["kind"] =>
  facts.isFile() ? "file" : facts.isDirectory() ? "folder" : "other";

/** Whether a path leads to something within a folder, with all links resolved. */
export function leadsInto(folder: string, path: string): boolean {
  try {
    return isWithin(realpathSync(path), realpathSync(folder));
  } catch {
    return false;
  }
}

/** A path's own facts, of a link too; undefined for nothing. */
export function factsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Where a link of the project leads, if that is in the project; any other path as it is. */
export function unlinked(path: string): string {
  try {
    return factsAt(path)?.isSymbolicLink() === true ? refuseOutside(path) : path;
  } catch {
    return path;
  }
}

/**
 * For folders that we write in: none below the project may be a link, which git carries and an agent can make. (Node can't
 * open a file from an open folder, so a link that is made between this and the write isn't seen.)
 */
export function refuseLinkedWay(folder: string): void {
  const place = resolve(folder);
  const roots = [projectRoot(place), process.cwd()].filter(
    (root) => isWithin(place, root) && !isWithin(homedir(), root),
  );
  const ways = roots.map((root) => upwards(place).filter((part) => isWithin(part, root) && part !== root));
  const link = ways.flat().findLast((part) => factsAt(part)?.isSymbolicLink() === true);
  if (link === undefined) return;
  throw new WhetstoneError("not-allowed", `${link} is a link, so nothing was written to ${place}.`, {
    hint: "Put a folder there, or name the folder that it leads to.",
  });
}

/** The real path. */
function refuseOutside(path: string, named: string = path): string {
  const real = realPath(path);
  const root = projectRoot(named);
  if (isWithin(real, realpathSync(root))) return real;
  const own = realpathSync(named);
  const way = isWithin(own, realpathSync(root))
    ? `Look at it with \`ls -l ${path}\`, then replace the link with a file of the project.`
    : `If you trust it, name ${own} instead of ${named}.`;
  throw new WhetstoneError("usage", `${path} is a link to ${real}, outside of ${root}. It wasn't read.`, {
    hint: way,
  });
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new WhetstoneError("not-found", `${path} can't be read, because it doesn't lead to a file.`, {
      cause,
      hint: `Look at it with \`ls -l ${path}\`.`,
    });
  }
}

/**
 * The repository around a path; without one the folder of its config; without that the folder that was named, or the
 * file's own. A home folder under git isn't the project of everything below it.
 */
function projectRoot(named: string): string {
  const path = resolve(named);
  const start = kindAt(path) === "folder" ? path : dirname(path);
  const folders = upwards(start).filter((folder) => !isWithin(homedir(), folder));
  const repositories = folders.filter((folder) => existsSync(resolve(folder, ".git")));
  // a link inside one repository to another one doesn't make that one the project
  const repository = repositories.find((one, at) =>
    repositories.slice(at + 1).every((outer) => isWithin(realpathSync(one), realpathSync(outer))),
  );
  return repository ?? folders.find(holdsConfig) ?? start;
}

const upwards = (folder: string): readonly string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...upwards(dirname(folder))];

function holdsConfig(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /^whetstone\.config\.\w+$/.test(name));
  } catch {
    return false;
  }
}

function tooLarge(path: string, size: number, most: number): WhetstoneError {
  const inWords = (bytes: number) =>
    bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${Math.ceil(bytes / 1024 / 1024)} MB`;
  return new WhetstoneError(
    "usage",
    `${path} has ${inWords(size)}; a file of this kind may have at most ${inWords(most)}.`,
    { hint: "Split it into smaller files, or take out what isn't needed." },
  );
}
