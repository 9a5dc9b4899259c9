import { resolve } from "node:path";
import { encodeFile } from "../../core/files.ts";
import { isThere, kindAt, leadsInto, listProjectFolder, readProjectFile } from "../project-file.ts";
import { isWithin } from "../project-matcher.ts";
import type { Notes } from "./imported.ts";

const maxBytes = 1024 * 1024;
const maxFiles = 200;

/** A file that tasks name, or the reason we can't use it. */
export type Linked = { readonly content: string } | Unlinked;

interface Unlinked {
  readonly problem: string;
}

/** Reads a file inside `root`, and never one outside, whatever its path or a link says. */
export function readLinked(root: string, path: string, notes: Notes): Linked {
  const problem = findProblem(root, path);
  if (problem !== undefined) return problem;
  try {
    const content = encodeFile(readProjectFile(resolve(root, path), { named: root, most: maxBytes }));
    notes.read(resolve(root, path));
    return { content };
  } catch (error) {
    const isFile = kindAt(resolve(root, path)) === "file" && (error as { code?: unknown }).code === "usage";
    return { problem: isFile ? `the file ${path} is larger than 1 MB` : `${path} isn't a file` };
  }
}

/** A file, or all files in a folder, by their paths relative to `root`. */
export function listLinked(root: string, path: string): readonly string[] | Unlinked {
  const problem = findProblem(root, path);
  if (problem !== undefined) return problem;
  if (kindAt(resolve(root, path)) !== "folder") return [path];
  const files: string[] = [];
  const folders = [path.replace(/\/+$/, "")];
  // the list grows as we read it
  for (const folder of folders) {
    for (const { name, kind } of listProjectFolder(resolve(root, folder), root)) {
      if (kind === "file") files.push(`${folder}/${name}`);
      if (kind === "folder") folders.push(`${folder}/${name}`);
    }
    if (files.length > maxFiles || folders.length > maxFiles)
      return { problem: `the folder ${path} contains more than ${maxFiles} files` };
  }
  return files.toSorted();
}

function findProblem(root: string, path: string): Unlinked | undefined {
  if (path.includes("\0")) return { problem: "a file name contains a NUL" };
  const place = resolve(root, path);
  const isMissing = !isThere(place);
  if (isMissing ? !isWithin(place, resolve(root)) : !leadsInto(root, place))
    return { problem: `the file ${path} is outside ${root}` };
  return isMissing ? { problem: `the file ${path} is missing` } : undefined;
}
