import { existsSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../make-folder.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { journalWrite } from "./journal-errors.ts";
import { databasePath, lockDirectory } from "./sqlite/open-sqlite.ts";
import { holdProcessLock, holdSharedLock, type ProcessLock } from "./process-lock.ts";
import { syncDirectory } from "./sync-directory.ts";

const waitMs = 5000;

/** A rewritten journal that is complete and only has to replace the old one. */
export const replacementPath = (dir: string): string => join(dir, "next");

/** Shared by all writers, so that nobody writes to a journal that is being replaced. */
export function holdAsWriter(dir: string): ProcessLock {
  finishReplacement(dir);
  const lock = holdSharedLock(lockFile(dir), waitMs);
  if (lock !== undefined) return lock;
  throw journalWrite(
    dir,
    "another process is cleaning it up",
    "Run the same command again when that is done.",
  );
}

/** Undefined while anybody may write. */
export const holdAlone = (dir: string): ProcessLock | undefined => holdProcessLock(lockFile(dir), 0);

/** For read-only commands: in the middle of a replacement, rows and head may not match. */
export function refuseReplacement(dir: string): void {
  if (!isReplaced(dir)) return;
  throw new WhetstoneError("journal-damaged", `The cleanup of the journal in ${dir} was interrupted.`, {
    hint: "Finish it with `whetstone runs gc`.",
  });
}

/** A link isn't ours: its target would be removed. */
const isReplaced = (dir: string): boolean =>
  existsSync(replacementPath(dir)) && lstatSync(replacementPath(dir)).isDirectory();

/** Finishes a replacement that a crash interrupted. Every step can be repeated. */
export function finishReplacement(dir: string): void {
  if (!isReplaced(dir)) return;
  const lock = holdProcessLock(lockFile(dir), waitMs);
  try {
    if (lock !== undefined) replaceJournal(dir);
  } finally {
    lock?.release();
  }
}

/** Moves the replacement into the journal's place. The caller has exclusive access to the journal. */
export function replaceJournal(dir: string): void {
  const next = replacementPath(dir);
  if (existsSync(databasePath(next))) {
    for (const suffix of ["-wal", "-shm"]) rmSync(`${databasePath(dir)}${suffix}`, { force: true });
    renameSync(databasePath(next), databasePath(dir));
  }
  const head = join(next, "journal.head");
  if (existsSync(head)) renameSync(head, join(dir, "journal.head"));
  syncDirectory(dir);
  rmSync(next, { recursive: true, force: true });
}

function lockFile(dir: string): string {
  makeFolder(lockDirectory(dir), 0o700);
  return join(lockDirectory(dir), ".writers.db");
}
