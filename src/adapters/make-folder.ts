import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { refuseLinkedWay } from "./project-file.ts";

/**
 * Creates a folder and its missing parents, but not through a link in the project. Node's own `recursive` never ends
 * if the system allows no folder and claims that the parent is missing, as in /proc.
 */
export function makeFolder(path: string, mode = 0o777): void {
  refuseLinkedWay(path);
  makeMissing(path, mode);
}

function makeMissing(path: string, mode: number): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) return;
  if (there !== undefined) throw new Error(`${path} is a file`);
  if (dirname(path) !== path) makeMissing(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // another process was faster
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** Why a folder couldn't be created or written to, as far as we can tell without trying. */
export function folderProblem(path: string): string | undefined {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined && dirname(path) !== path) return folderProblem(dirname(path));
  if (there?.isDirectory() !== true) return `${path} is a file`;
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch {
    return `you can't write to ${path}`;
  }
}
