import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/**
 * Says whether a folder is the project or lies below it, both with links resolved. Never true for a folder above: a
 * conversation in the home folder belongs to no project.
 */
export async function projectMatcher(project: string): Promise<(folder: string) => Promise<boolean>> {
  const root = await realFolder(project);
  const known = new Map<string, Promise<boolean>>();
  return (folder) => {
    if (!isAbsolute(folder)) return Promise.resolve(false);
    const answer = known.get(folder) ?? realFolder(folder).then((real) => isWithin(real, root));
    known.set(folder, answer);
    return answer;
  };
}

/** The same or below; both absolute. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** With links resolved; of a folder that is gone, as far as it is still there. */
export async function realFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(resolve(path));
    return parent === resolve(path) ? parent : join(await realFolder(parent), basename(path));
  }
}
