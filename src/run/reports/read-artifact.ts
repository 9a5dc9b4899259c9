import { realpath } from "node:fs/promises";
import { readPlainFile } from "../../adapters/read-plain-file.ts";
import { isWithin } from "../../adapters/project-matcher.ts";

/**
 * A file of a run's folder; undefined if there is none. Links that lead out of the folder aren't followed, because somebody
 * else may have put them there to show keys or the environment.
 */
export async function readArtifact(path: string, folder: string): Promise<Buffer | undefined> {
  try {
    const real = await realpath(path);
    return isWithin(real, await realpath(folder)) ? await readPlainFile(real) : undefined;
  } catch {
    return undefined;
  }
}
