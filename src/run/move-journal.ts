import { existsSync, readdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { databasePath } from "../adapters/journals/sqlite/open-sqlite.ts";
import { writeFileAtomic } from "../adapters/atomic-file.ts";
import { isWithin, realFolder } from "../adapters/project-matcher.ts";
import { type KnownProject, findMoved, isGone, keepProject, knownProjects } from "../config/journal-place.ts";
import { sharedFolder } from "../config/state-folder.ts";
import { WhetstoneError } from "../core/errors.ts";
import { type LiveSkill, liveSkillSchema, parseReceipt } from "../core/offer/receipt.ts";
import { liveName, readIfThere } from "./offer/live-skill.ts";
import { backupFolder } from "./offer/receipts.ts";

export interface MovedJournal {
  /** The project's earlier folder. */
  readonly from: string;
  /** The journal's new folder. */
  readonly journalDir: string;
  /** Whether nights were allowed there; conversations under a new path need a new consent. */
  readonly hadNights: boolean;
}

/** The project whose journal would be moved here: the named one, or the one this folder used to be. */
export function findToMove(cwd: string, from?: string): KnownProject {
  const named = from === undefined ? undefined : realFolder(resolve(cwd, from));
  const found =
    named === undefined ? findMoved(cwd) : knownProjects().find(({ project }) => project === named);
  if (found !== undefined) {
    // this is a copy or another checkout, so the journal stays with its original folder
    if (!isGone(found))
      throw new WhetstoneError("usage", `${found.project} still exists and keeps its journal.`, {
        hint: `To use its results from here, add: --journal '${found.journalDir}'`,
      });
    return found;
  }
  throw new WhetstoneError(
    "not-found",
    named === undefined
      ? "This folder isn't known under an earlier path."
      : `No journal is filed under ${named}.`,
    {
      hint: `Name the project's earlier folder. Known: ${
        knownProjects()
          .map(({ project }) => project)
          .join(", ") || "none"
      }.`,
    },
  );
}

/** Files a journal, with everything kept next to it, under the path of this folder. */
export async function moveJournal(
  cwd: string,
  { journalDir: old, project: from }: KnownProject,
): Promise<MovedJournal> {
  const journalDir = sharedFolder(cwd);
  if (existsSync(databasePath(journalDir)))
    throw new WhetstoneError("usage", `${resolve(cwd)} already has its own journal: ${journalDir}.`, {
      hint: `To read the other one in place, add: --journal '${old}'`,
    });
  const isGoing = existsSync(join(old, "sleep", "consent.json"));
  // permissions that a person gave under the new path stay
  const memory = readIfThere(join(journalDir, "memory.json"));
  await rm(journalDir, { recursive: true, force: true });
  await rename(old, journalDir);
  for (const name of ["project.json", "memory.json", "sleep/consent.json", "sleep/schedule.json"])
    await rm(join(journalDir, name), { force: true });
  if (memory !== undefined)
    await writeFileAtomic(join(journalDir, "memory.json"), memory, { isPrivate: true });
  const to = realFolder(cwd);
  const moved = (live: LiveSkill): LiveSkill =>
    isWithin(live.path, from) ? { ...live, path: join(to, relative(from, live.path)) } : live;
  await moveTargets(journalDir, moved);
  await moveReceipts(journalDir, moved);
  await keepProject({ journalDir }, cwd);
  return { from, journalDir, hadNights: isGoing };
}

type Move = (live: LiveSkill) => LiveSkill;

async function moveTargets(journalDir: string, moved: Move): Promise<void> {
  for (const path of filesIn(join(journalDir, "targets"))) {
    const live = liveSkillSchema.parse(JSON.parse(readIfThere(path)?.toString() ?? ""));
    await writeFileAtomic(path, `${JSON.stringify(moved(live), null, 2)}\n`, { isPrivate: true });
  }
}

/** Receipts and backups are filed by the path of their skill. */
async function moveReceipts(journalDir: string, moved: Move): Promise<void> {
  for (const path of filesIn(join(journalDir, "receipts"))) {
    const receipt = parseReceipt(readIfThere(path)?.toString() ?? "");
    // commands that need an unreadable receipt report it
    if (typeof receipt === "string") continue;
    const live = moved(receipt.live);
    const id = receipt.id.replace(/^[^-]+/, liveName(live));
    if (id === receipt.id) continue;
    if (existsSync(backupFolder(journalDir, receipt.id)))
      await rename(backupFolder(journalDir, receipt.id), backupFolder(journalDir, id));
    const text = `${JSON.stringify({ ...receipt, id, live }, null, 2)}\n`;
    await writeFileAtomic(join(journalDir, "receipts", `${id}.json`), text, { isPrivate: true });
    await rm(path);
  }
}

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .map((name) => join(folder, name))
    : [];
