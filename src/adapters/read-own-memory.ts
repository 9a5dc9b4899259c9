import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file where an agent keeps its own notes. */
export interface MemoryFile {
  readonly name: string;
  readonly text: string;
}

/** The Markdown files in one folder, by name, or only those with the given names. None if the folder is missing. */
export function readOwnMemory(folder: string, names?: readonly string[]): readonly MemoryFile[] {
  // a link's target isn't an agent's memory
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && plainName.test(file.name) && (names?.includes(file.name) ?? true))
    .filter(({ name }) => lstatSync(join(folder, name)).size <= mostBytes)
    .map(({ name }) => ({ name, text: readFileSync(join(folder, name), "utf8") }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names are part of questions to models. */
const plainName = /^[\w.-]+\.md$/;

const mostBytes = 256 * 1024;
