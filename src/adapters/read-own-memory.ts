import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A file in which an agent keeps what it wrote down by itself. */
export interface MemoryFile {
  readonly name: string;
  readonly text: string;
}

/** The Markdown files of one folder, by name; those of these names alone, where they are given. Without the folder there are none. */
export function readOwnMemory(folder: string, names?: readonly string[]): readonly MemoryFile[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith(".md") && (names?.includes(file.name) ?? true))
    .filter(({ name }) => statSync(join(folder, name)).size <= mostBytes)
    .map(({ name }) => ({ name, text: readFileSync(join(folder, name), "utf8") }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const mostBytes = 256 * 1024;
