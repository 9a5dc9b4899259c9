import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { journalWrite, translateJournalError } from "../journal-errors.ts";
import { connect, databasePath } from "./open-sqlite.ts";

const tries = 600;
const betweenMs = 100;

/**
 * Makes every row that can be read safe. After a sync that failed, rows may stand in the log beside the database, readable
 * and not on the disk, and a later sync of that log need not write them again: so they are copied into the database,
 * which is synced, and the log is emptied.
 */
export async function secureSqlite(dir: string): Promise<void> {
  let database: DatabaseSync | undefined;
  try {
    database = connect(dir, false);
    // waiting is done here, where it does not hold up the process
    database.exec("PRAGMA busy_timeout = 0");
    const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
    for (let nth = 0; nth < tries; nth += 1) {
      const { busy, log, checkpointed } = checkpoint.get() ?? {};
      // while others read, the log stays; what counts is that the database has all of it
      if (busy === 0 || (log !== -1 && log === checkpointed)) return syncLog(dir);
      await sleep(betweenMs);
    }
    throw journalWrite(dir, "other processes keep it busy", "Run the same command again once they are done.");
  } catch (error) {
    throw translateJournalError(error, dir);
  } finally {
    database?.close();
  }
}

/** That it is empty must last as well: an old log would cover newer pages. No lock is held on this file. */
function syncLog(dir: string): void {
  const path = `${databasePath(dir)}-wal`;
  if (!existsSync(path)) return;
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
