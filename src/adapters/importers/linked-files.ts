import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { readPlainFile } from "../read-plain-file.ts";
import { encodeFile } from "../../core/files.ts";
import type { Notes } from "./imported.ts";

const maxBytes = 1024 * 1024;
const maxFiles = 200;

/** A file that tasks name, or why it cannot be had. */
export type Linked = { readonly content: string } | Unlinked;

interface Unlinked {
  readonly problem: string;
  /** Nothing is there, so the name may be meant as a text. */
  readonly isMissing?: boolean;
}

/** Reads a file below `root`; never one outside, whatever its path or a link says. */
export async function readLinked(root: string, path: string, notes: Notes): Promise<Linked> {
  const found = await locate(root, path);
  if (typeof found !== "string") return found;
  const { size } = await stat(found);
  if (size > maxBytes) return { problem: `the file ${path} is larger than 1 MB` };
  const bytes = await readPlainFile(found).catch(() => undefined);
  if (bytes === undefined) return { problem: `${path} is not a file` };
  notes.read(resolve(root, path));
  return { content: encodeFile(bytes) };
}

/** A file or all files of a folder, by their paths relative to `root`. */
export async function listLinked(root: string, path: string): Promise<readonly string[] | Unlinked> {
  const found = await locate(root, path);
  if (typeof found !== "string") return found;
  if (!(await stat(found)).isDirectory()) return [path];
  const entries = await readdir(found, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(found, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
  if (files.length > maxFiles) return { problem: `the folder ${path} holds more than ${maxFiles} files` };
  return files.map((name) => `${path.replace(/\/+$/, "")}/${name}`);
}

async function locate(root: string, path: string): Promise<string | Unlinked> {
  if (path.includes("\0")) return { problem: "a file's name holds a NUL", isMissing: true };
  const base = await realpath(root).catch(() => root);
  const found = await realpath(resolve(base, path)).catch(() => undefined);
  const wanted = found ?? resolve(base, path);
  if (wanted !== base && !wanted.startsWith(base.endsWith(sep) ? base : base + sep))
    return { problem: `the file ${path} lies outside ${root}`, isMissing: found === undefined };
  return found ?? { problem: `the file ${path} is missing`, isMissing: true };
}
