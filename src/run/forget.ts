import { existsSync } from "node:fs";
import { readFile, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openJournal } from "../adapters/journals/open-journal.ts";
import { databasePath } from "../adapters/journals/sqlite/open-sqlite.ts";
import { rewriteSqlite } from "../adapters/journals/sqlite/rewrite-sqlite.ts";
import { type KnownProject, knownProjects } from "../config/journal-place.ts";
import { WhetstoneError } from "../core/errors.ts";
import { collectGarbage } from "./doctor/journal-tools.ts";
import { listRuns, removeRun } from "./reports/runs.ts";
import { forgetReplies } from "./session/timed-replies.ts";
import { realFolder } from "../adapters/project-matcher.ts";

/** The data to remove from the person's state folder. */
export type Forget =
  /** Everything kept about one project; its own files stay. */
  | { readonly project: string }
  /** Every task, reply and conversation that contains these words, in all projects. */
  | { readonly text: string }
  /** Runs that haven't been continued for this long, in all projects. */
  | { readonly olderThanDays: number };

export interface Forgotten {
  readonly projects: readonly ForgottenProject[];
}

export interface ForgottenProject {
  /** The project's path. */
  readonly project: string;
  readonly journalDir: string;
  /** Removed rows of the journal. */
  readonly rows: number;
  /** Removed files of runs and nights. */
  readonly files: number;
}

/**
 * Removes data from the state folder. A run that loses results buys them again when it is started again.
 *
 * @example
 * const { projects } = await forget({ text: "jane@example.com" });
 * for (const { project, rows, files } of projects) console.log(project, rows, files);
 */
export async function forget(what: Forget): Promise<Forgotten> {
  const known = knownProjects();
  if ("project" in what) {
    const path = realFolder(resolve(what.project));
    const found = known.find(({ project }) => project === path);
    if (found === undefined)
      throw new WhetstoneError("not-found", `Nothing is kept for a project in ${path}.`, {
        hint: `Known projects: ${known.map(({ project }) => project).join(", ") || "none"}.`,
      });
    return { projects: [await forgetProject(found)] };
  }
  const projects: ForgottenProject[] = [];
  for (const one of known)
    projects.push(await ("text" in what ? forgetText(one, what.text) : forgetOld(one, what.olderThanDays)));
  return { projects: projects.filter(({ rows, files }) => rows > 0 || files > 0) };
}

async function forgetProject({ project, journalDir }: KnownProject): Promise<ForgottenProject> {
  const files = (await filesIn(journalDir)).length;
  await rm(journalDir, { recursive: true, force: true });
  await forgetReplies(journalDir);
  return { project, journalDir, rows: 0, files };
}

async function forgetText({ project, journalDir }: KnownProject, text: string): Promise<ForgottenProject> {
  if (text.trim().length < 4)
    throw new WhetstoneError("usage", `"${text}" is too short: it would match nearly everything.`, {
      hint: "Give at least four characters.",
    });
  const written = JSON.stringify(text).slice(1, -1);
  const isFree = ({ body }: { readonly body: unknown }) => !JSON.stringify(body).includes(written);
  const rows = existsSync(databasePath(journalDir))
    ? (await rewriteSqlite(journalDir, async () => isFree)).dropped
    : 0;
  let files = 0;
  for (const folder of spoken)
    for (const path of await filesIn(join(journalDir, folder))) {
      const found = await readFile(path, "utf8");
      if (!found.includes(text) && !found.includes(written)) continue;
      await rm(path);
      files += 1;
    }
  return { project, journalDir, rows, files };
}

/** The folders with tasks, replies and words of conversations. Receipts and backups stay, because `undo` needs them. */
const spoken = ["runs", "proposals", "decisions", "sleep", "handoff"];

async function forgetOld({ project, journalDir }: KnownProject, days: number): Promise<ForgottenProject> {
  if (!existsSync(databasePath(journalDir))) return { project, journalDir, rows: 0, files: 0 };
  const before = Date.now() - days * 86_400_000;
  const files = (await filesIn(join(journalDir, "runs"))).length;
  const journal = await openJournal({ journalDir });
  try {
    for (const { run, executionAt } of await listRuns(journal))
      if (executionAt < before) await removeRun(journal, journalDir, run);
  } finally {
    await journal.close();
  }
  const { dropped } = await collectGarbage({ journalDir });
  return {
    project,
    journalDir,
    rows: dropped,
    files: files - (await filesIn(join(journalDir, "runs"))).length,
  };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
