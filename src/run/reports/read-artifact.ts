import { realpath } from "node:fs/promises";
import { readPlainFile } from "../../adapters/read-plain-file.ts";
import { isWithin } from "../../adapters/project-matcher.ts";

/**
 * A file of a run's folder; undefined where there is none. Somebody else may have put a link there: where it leads, to keys or
 * to the environment, is not shown to anybody.
 */
export async function readArtifact(path: string, folder: string): Promise<Buffer | undefined> {
  try {
    const real = await realpath(path);
    return isWithin(real, await realpath(folder)) ? await readPlainFile(real) : undefined;
  } catch {
    return undefined;
  }
}
