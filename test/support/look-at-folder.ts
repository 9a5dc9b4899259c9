import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Every file of a folder, by its path from there. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

/** Mode and bytes of every file, by its path. */
export function lookAtFolder(folder: string): ReadonlyMap<string, string> {
  return new Map(
    filesIn(folder).map((path) => {
      const place = join(folder, path);
      return [path, `${(statSync(place).mode & 0o777).toString(8)} ${readFileSync(place, "base64")}`];
    }),
  );
}

/** The files that differ between two looks, added and missing ones among them. */
export const changedFiles = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
