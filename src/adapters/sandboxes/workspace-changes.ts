import { createHash } from "node:crypto";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { openPlainFile } from "../read-plain-file.ts";
import { encodeFile, type Files } from "../../core/files.ts";

/** Files by their hash, links by their target. */
export type Baseline = ReadonlyMap<string, string>;

/** A folder's content, for comparing later. */
export async function takeBaseline(folder: string): Promise<Baseline> {
  const taken = new Map<string, string>();
  for (const { path, isLink } of await listEntries(folder, Number.POSITIVE_INFINITY)) {
    const print = isLink ? await linkPrint(join(folder, path)) : await filePrint(join(folder, path));
    if (print !== undefined) taken.set(path, print);
  }
  return taken;
}

/** A program's changes to a folder. */
export interface Changes {
  /** New and changed files with their content, and deleted files (null). */
  readonly changed: Readonly<Record<string, string | null>>;
  /** Changed as well, but beyond the limits. */
  readonly leftOut: readonly string[];
}

/**
 * Compares a folder with the files written into it, and with `before` for everything under `below`. Links are never
 * followed: a file that became a link counts as deleted.
 */
export async function readChanges(
  folder: string,
  before: Files,
  below: Baseline = new Map(),
): Promise<Changes> {
  const changed: Record<string, string | null> = {};
  const leftOut: string[] = [];
  const known = new Set([...Object.keys(before), ...below.keys()].filter((path) => !isIgnored(path)));
  const missing = new Set(known);
  let [count, total] = [0, 0];
  for (const { path, isLink } of await listEntries(folder, maxListed, known)) {
    const place = join(folder, path);
    const print = Object.hasOwn(before, path) ? undefined : below.get(path);
    if (isLink) {
      if (print === undefined || !print.startsWith(linkMark)) continue;
      missing.delete(path);
      if (print !== (await linkPrint(place))) leftOut.push(path);
      continue;
    }
    const bytes = await readListed(place);
    if (bytes === undefined) continue;
    missing.delete(path);
    if (bytes === "too large") {
      if (print === undefined || print !== (await filePrint(place))) leftOut.push(path);
      continue;
    }
    if (print !== undefined && print === hashOf(bytes)) continue;
    const content = encodeFile(bytes);
    if (before[path] === content) continue;
    if (count < maxFiles && total + bytes.length <= maxTotal) {
      count += 1;
      total += bytes.length;
      changed[path] = content;
    } else {
      leftOut.push(path);
    }
  }
  for (const path of missing) changed[path] = null;
  return { changed, leftOut: leftOut.slice(0, maxFiles) };
}

const maxFiles = 200;
const maxBytes = 256 * 1024;
const maxTotal = 4 * 1024 * 1024;

/** Files that tools leave behind. */
const ignoredFolders: ReadonlySet<string> = new Set(["node_modules", ".git", "__pycache__"]);

const isIgnored = (path: string): boolean => path.split("/").some((part) => ignoredFolders.has(part));

interface Entry {
  readonly path: string;
  readonly isLink: boolean;
}

/** Files and links, sorted by path. The number of unknown ones is limited. */
async function listEntries(
  root: string,
  most: number,
  known: ReadonlySet<string> = new Set(),
): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  let strangers = 0;
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !ignoredFolders.has(entry.name)) folders.push(path);
      if (!entry.isFile() && !entry.isSymbolicLink()) continue;
      // beyond this nobody looks at them one by one, and a flood of names must not fill our memory
      if (!known.has(path) && ++strangers > most) continue;
      found.push({ path, isLink: entry.isSymbolicLink() });
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const maxListed = 100_000;

/** A file that was listed could be a pipe or a link by now. */
const openAsListed = (path: string) => openPlainFile(path, { follow: false });

async function readListed(path: string): Promise<Uint8Array | "too large" | undefined> {
  const file = await openAsListed(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).size > maxBytes ? "too large" : await file.readFile();
  } finally {
    await file.close();
  }
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** In chunks, because a file in a repository may be larger than our memory. */
async function filePrint(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    const file = await openAsListed(path);
    for await (const piece of file.createReadStream()) hash.update(piece as Buffer);
  } catch {
    return undefined;
  }
  return hash.digest("hex");
}

const linkMark = "link ";

const linkPrint = (path: string): Promise<string | undefined> =>
  readlink(path).then(
    (target) => linkMark + target,
    () => undefined,
  );
