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
 * The only reader for files in a project: configs, skills, suites and everything they name. A clone's author chooses
 * every name and link in it, so nothing here leaves the project, waits for a pipe, or reads without a limit.
 *
 * `named` is the path written by a person or a config, and it may be anywhere. It vouches for the project around it
 * (see `projectRoot`), but not for the targets of that project's links.
 */

/** A file's bytes. A link may not lead out of the project, or a clone could send its reader's keys to a model. */
export function readProjectFile(path: string, { named = path, most = maxBytes }: ReadOptions = {}): Buffer {
  const file = openSync(refuseOutside(path, named), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw notAFile(path, facts);
    if (facts.size > most) throw tooLarge(path, facts.size, most);
    // not one byte more than its size: files in /proc have none, and a growing file would never end
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
  /** The largest size of this kind of file. @default 32 MB */
  readonly most?: number;
}

export const readProjectText = (path: string, options?: ReadOptions): string =>
  readProjectFile(path, options).toString();

/** Parsed, a file takes several times its size. Above this, a command would need over 512 MB. */
const maxBytes = 32 * 1024 * 1024;

export interface ProjectEntry {
  readonly name: string;
  /** For the entry itself: a link is neither. */
  readonly kind: "file" | "folder" | "other";
}

/** A project folder's entries, by name. */
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

/** The kind of a path's target; undefined if there is none. */
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

/** Whether a path's target is inside a folder, with all links resolved. */
export function leadsInto(folder: string, path: string): boolean {
  try {
    return isWithin(realpathSync(path), realpathSync(folder));
  } catch {
    return false;
  }
}

/** A path's own facts, even if it is a link; undefined if it doesn't exist. */
export function factsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** The target of a link in the project, if that is in the project; any other path as it is. */
export function unlinked(path: string): string {
  try {
    return factsAt(path)?.isSymbolicLink() === true ? refuseOutside(path) : path;
  } catch {
    return path;
  }
}

/**
 * For folders we write in: none inside the project may be a link, because git and agents can create them. A link made
 * between this check and the write isn't noticed, because Node can't open files relative to an open folder.
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
    hint: "Replace it with a folder, or name the folder it links to.",
  });
}

/** The real path. */
function refuseOutside(path: string, named: string = path): string {
  const real = realPath(path);
  const root = projectRoot(named);
  if (isWithin(real, realpathSync(root))) return real;
  const own = realpathSync(named);
  const way = isWithin(own, realpathSync(root))
    ? `Check it with \`ls -l ${path}\`, then replace the link with a file in the project.`
    : `If you trust it, name ${own} instead of ${named}.`;
  throw new WhetstoneError("usage", `${path} is a link to ${real}, outside ${root}. It wasn't read.`, {
    hint: way,
  });
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new WhetstoneError("not-found", `${path} can't be read, because it isn't a file.`, {
      cause,
      hint: `Check it with \`ls -l ${path}\`.`,
    });
  }
}

/**
 * The repository around a path; without one, the folder of its config; else the named folder, or the file's own. A
 * home folder under git isn't the project of everything inside it.
 */
function projectRoot(named: string): string {
  const path = resolve(named);
  const start = kindAt(path) === "folder" ? path : dirname(path);
  const folders = upwards(start).filter((folder) => !isWithin(homedir(), folder));
  const repositories = folders.filter((folder) => existsSync(resolve(folder, ".git")));
  // a link in one repository to another doesn't make the other one the project
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
    `${path} is ${inWords(size)}, but files of this kind can be at most ${inWords(most)}.`,
    { hint: "Split it into smaller files, or remove what you don't need." },
  );
}
