import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../adapters/atomic-file.ts";
import type { JournalPlace } from "../adapters/journals/open-journal.ts";
import { isPostgresAddress } from "../adapters/journals/postgres/postgres-connection.ts";
import { mainWorktree } from "../adapters/workspaces/main-worktree.ts";
import { WhetstoneError } from "../core/errors.ts";
import { isStateInProject, projectsFolder, sharedFolder, stateInProject } from "./state-folder.ts";
import { realFolder } from "../adapters/project-matcher.ts";

/** The place a config's `journal` names: a folder, or a database address and the project's folder in the state. */
export function journalPlace(journal: string | undefined, cwd: string): JournalPlace {
  if (journal !== undefined && !isPostgresAddress(journal)) {
    if (statSync(journal, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new WhetstoneError("not-found", `${journal} isn't a folder. A journal is a folder.`, {
        hint: "Name the folder that contains `journal.db`.",
      });
    return { journalDir: journal };
  }
  if (isStateInProject(cwd)) throw stateInProject();
  const journalDir = sharedFolder(cwd);
  refuseMoved(journalDir, cwd);
  return { journalDir, ...(journal === undefined ? {} : { journalUrl: journal }) };
}

/** The folder artifacts are exported to, for people and other programs. We never read them back. */
export const exportFolder = ({ journalDir }: JournalPlace, cwd: string): string =>
  isInState(journalDir) ? join(cwd, ".whetstone") : journalDir;

/** Whether a folder is in the user's own state, rather than one that somebody named. */
export const isInState = (journalDir: string): boolean => join(journalDir, "..") === projectsFolder();

/** The project that a state folder was made for. */
export interface KnownProject extends z.output<typeof knownSchema> {
  readonly journalDir: string;
}

const knownSchema = z.strictObject({
  v: z.literal(1),
  /** Absolute, with links resolved. */
  project: z.string(),
  /** An identity that survives moving or renaming the folder. */
  inode: z.string(),
});

const knownFile = "project.json";

/** Records which project the journal belongs to. Call it before anything is stored there. */
export async function keepProject({ journalDir }: JournalPlace, cwd: string): Promise<void> {
  if (!isInState(journalDir) || readKnown(journalDir) !== undefined) return;
  const project = mainWorktree(realFolder(cwd));
  const known: z.output<typeof knownSchema> = { v: 1, project, inode: inodeOf(project) };
  await writeFileAtomic(join(journalDir, knownFile), `${JSON.stringify(known, null, 2)}\n`, {
    isPrivate: true,
  });
}

/** All projects that have a journal in the user's state. */
export function knownProjects(): readonly KnownProject[] {
  const folder = projectsFolder();
  return listFolder(folder).flatMap((name) => {
    const journalDir = join(folder, name);
    const known = readKnown(journalDir);
    return known === undefined ? [] : [{ ...known, journalDir }];
  });
}

/** The path this folder had before it was moved. */
export function findMoved(cwd: string): KnownProject | undefined {
  const project = mainWorktree(realFolder(cwd));
  const inode = inodeOf(project);
  return knownProjects().find(
    (known) => known.project !== project && known.inode === inode && inode !== "" && isGone(known),
  );
}

export const isGone = ({ project }: Pick<KnownProject, "project">): boolean =>
  statSync(project, { throwIfNoEntry: false }) === undefined;

/** Stops a moved folder from paying for everything again. */
function refuseMoved(journalDir: string, cwd: string): void {
  if (readKnown(journalDir) !== undefined) return;
  const moved = findMoved(cwd);
  if (moved === undefined) return;
  const { project } = moved;
  throw new WhetstoneError(
    "project-moved",
    `This folder used to be ${project}, and its journal is still filed under that path.`,
    {
      hint: `\`whetstone journal move '${project}'\` files it here, so that you don't pay for anything twice; \`whetstone forget '${project}'\` deletes it.`,
    },
  );
}

function readKnown(journalDir: string): z.output<typeof knownSchema> | undefined {
  try {
    return knownSchema.parse(JSON.parse(readFileSync(join(journalDir, knownFile), "utf8")));
  } catch {
    return undefined;
  }
}

/** Includes the birth time, because systems reuse the numbers of deleted folders. Empty if unknown. */
function inodeOf(folder: string): string {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found === undefined || found.birthtimeNs === 0n ? "" : `${found.ino}-${found.birthtimeNs}`;
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
