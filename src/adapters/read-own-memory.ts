import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file in which an agent keeps what it wrote down by itself. */
export interface MemoryFile {
  readonly name: string;
  readonly text: string;
}

/** The Markdown files of one folder, by name; those of these names alone, where they are given. Without the folder there are none. */
export function readOwnMemory(folder: string, names?: readonly string[]): readonly MemoryFile[] {
  // a link leads to what is nobody's memory
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && plainName.test(file.name) && (names?.includes(file.name) ?? true))
    .filter(({ name }) => lstatSync(join(folder, name)).size <= mostBytes)
    .map(({ name }) => ({ name, text: readFileSync(join(folder, name), "utf8") }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names go into questions to models. */
const plainName = /^[\w.-]+\.md$/;

const mostBytes = 256 * 1024;
