import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/**
 * Checks whether a folder is the project or inside it, both with links resolved. Never true for a parent folder: a
 * conversation in the home folder doesn't belong to a project.
 */
export async function projectMatcher(project: string): Promise<(folder: string) => Promise<boolean>> {
  const root = realFolder(project);
  const known = new Map<string, boolean>();
  return async (folder) => {
    if (!isAbsolute(folder)) return false;
    const answer = known.get(folder) ?? isWithin(realFolder(folder), root);
    known.set(folder, answer);
    return answer;
  };
}

/** The same or inside; both absolute. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** With links resolved. For a deleted folder, as far as the path still exists. */
export function realFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(resolve(path));
    return parent === resolve(path) ? parent : join(realFolder(parent), basename(path));
  }
}
