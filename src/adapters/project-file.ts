import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import { readPlainFile } from "./read-plain-file.ts";
import { isWithin } from "./transcripts/project-matcher.ts";

/**
 * A file of a suite or a skill, as bytes. A link may lead anywhere in the project, never out of it: a clone could send its
 * reader's keys to a model that way. `named` is the path that the person or the config wrote; it may be anywhere.
 */
export async function readProjectFile(path: string, named: string = path): Promise<Buffer> {
  const real = await realpath(path);
  const root = projectRoot(named);
  if (!isWithin(real, realpathSync(root))) throw leadsOut({ path, real, root, named });
  const { size } = await stat(real);
  if (size > maxBytes)
    throw new WhetstoneError(
      "usage",
      `${path} has ${Math.round(size / 1024 / 1024)} MB; a file may have at most 256 MB.`,
      { hint: "Split it into smaller files." },
    );
  return readPlainFile(real);
}

export const readProjectText = async (path: string, named?: string): Promise<string> =>
  (await readProjectFile(path, named)).toString();

const maxBytes = 256 * 1024 * 1024;

/** The repository around a path; without one the folder of its config; without that the folder that was named. */
function projectRoot(named: string): string {
  const path = resolve(named);
  const start = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : dirname(path);
  const folders = upwards(start);
  const repositories = folders.filter((folder) => existsSync(resolve(folder, ".git")));
  // a link inside one repository to another one doesn't make that one the project
  const repository = repositories.find((one, at) =>
    repositories.slice(at + 1).every((outer) => isWithin(realpathSync(one), realpathSync(outer))),
  );
  return repository ?? folders.find(holdsConfig) ?? start;
}

const upwards = (folder: string): readonly string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...upwards(dirname(folder))];

function holdsConfig(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /^whetstone\.config\.\w+$/.test(name));
  } catch {
    return false;
  }
}

interface Link {
  readonly path: string;
  readonly real: string;
  readonly root: string;
  readonly named: string;
}

function leadsOut({ path, real, root, named }: Link): WhetstoneError {
  const own = realpathSync(named);
  const way = isWithin(own, realpathSync(root))
    ? `Look at it with \`ls -l ${path}\`, then replace the link with a file of the project.`
    : `If you trust it, name ${own} instead of ${named}.`;
  return new WhetstoneError("usage", `${path} is a link to ${real}, outside of ${root}. It wasn't read.`, {
    hint: way,
  });
}
