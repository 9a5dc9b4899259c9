import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export interface FolderFile {
  readonly name: string;
  readonly path: string;
  /** Whole milliseconds since the epoch. */
  readonly changedAt: number;
}

/** Plain files directly in a folder whose names match, by name; none if the folder is missing. Links aren't followed. */
export async function folderFiles(folder: string, wanted: RegExp): Promise<readonly FolderFile[]> {
  const files: FolderFile[] = [];
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFile() || !wanted.test(entry.name)) continue;
    const path = join(folder, entry.name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined) files.push({ name: entry.name, path, changedAt: Math.floor(found.mtimeMs) });
  }
  return files;
}

/** Folders directly in a folder, as paths, by name. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
  const folders = (await entriesOf(folder)).filter((entry) => entry.isDirectory());
  return folders.map((entry) => join(folder, entry.name));
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Like `folderFiles`, in the folder and everything below it. */
export async function filesBelow(folder: string, wanted: RegExp): Promise<readonly FolderFile[]> {
  const deeper = (await foldersIn(folder)).map((inner) => filesBelow(inner, wanted));
  return [...(await folderFiles(folder, wanted)), ...(await Promise.all(deeper)).flat()];
}

/** Conversations in `<id>.jsonl` or, from older agent versions, `<id>.json`. If both exist, the log is the newer one. */
export async function latestLogs(folder: string, wanted: RegExp): Promise<readonly FolderFile[]> {
  const files = await folderFiles(folder, wanted);
  const logs = new Set(files.map(({ path }) => path));
  return files.filter(({ path }) => !logs.has(`${path}l`));
}
