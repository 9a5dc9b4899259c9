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

/** What a config's `journal` means: a folder, or the address of a database next to the project's folder in the state. */
export function journalPlace(journal: string | undefined, cwd: string): JournalPlace {
  if (journal !== undefined && !isPostgresAddress(journal)) {
    if (statSync(journal, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new WhetstoneError("not-found", `${journal} isn't a folder, and a journal is one.`, {
        hint: "Name the folder that contains `journal.db`.",
      });
    return { journalDir: journal };
  }
  if (isStateInProject(cwd)) throw stateInProject();
  const journalDir = sharedFolder(cwd);
  refuseMoved(journalDir, cwd);
  return { journalDir, ...(journal === undefined ? {} : { journalUrl: journal }) };
}

/** Where artifacts are exported to, for people and other programs. Nothing here reads them back. */
export const exportFolder = ({ journalDir }: JournalPlace, cwd: string): string =>
  isInState(journalDir) ? join(cwd, ".whetstone") : journalDir;

/** Whether a folder is one of the person's own state, not one that somebody named. */
export const isInState = (journalDir: string): boolean => join(journalDir, "..") === projectsFolder();

/** The project that a folder of the state was made for. */
export interface KnownProject extends z.output<typeof knownSchema> {
  readonly journalDir: string;
}

const knownSchema = z.strictObject({
  v: z.literal(1),
  /** Absolute, links resolved. */
  project: z.string(),
  /** What a folder keeps when it is moved or renamed. */
  inode: z.string(),
});

const knownFile = "project.json";

/** Notes which project the journal is for. To be called before anything is kept there. */
export async function keepProject({ journalDir }: JournalPlace, cwd: string): Promise<void> {
  if (!isInState(journalDir) || readKnown(journalDir) !== undefined) return;
  const project = mainWorktree(realFolder(cwd));
  const known: z.output<typeof knownSchema> = { v: 1, project, inode: inodeOf(project) };
  await writeFileAtomic(join(journalDir, knownFile), `${JSON.stringify(known, null, 2)}\n`, {
    isPrivate: true,
  });
}

/** All projects with a journal in the person's state. */
export function knownProjects(): readonly KnownProject[] {
  const folder = projectsFolder();
  return listFolder(folder).flatMap((name) => {
    const journalDir = join(folder, name);
    const known = readKnown(journalDir);
    return known === undefined ? [] : [{ ...known, journalDir }];
  });
}

/** The project that this folder was before somebody moved it. */
export function findMoved(cwd: string): KnownProject | undefined {
  const project = mainWorktree(realFolder(cwd));
  const inode = inodeOf(project);
  return knownProjects().find(
    (known) => known.project !== project && known.inode === inode && inode !== "" && isGone(known),
  );
}

export const isGone = ({ project }: Pick<KnownProject, "project">): boolean =>
  statSync(project, { throwIfNoEntry: false }) === undefined;

/** Nothing is bought again because a folder was moved. */
function refuseMoved(journalDir: string, cwd: string): void {
  if (readKnown(journalDir) !== undefined) return;
  const moved = findMoved(cwd);
  if (moved === undefined) return;
  const { project } = moved;
  throw new WhetstoneError(
    "project-moved",
    `This folder was ${project} before, and its journal is filed there.`,
    {
      hint: `\`whetstone journal move '${project}'\` files it here, so that nothing is bought again; \`whetstone forget '${project}'\` deletes it.`,
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

/** With the time of its birth, because systems give the numbers of deleted folders to new ones; empty where it isn't known. */
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
