import { sqliteCode } from "./journal-errors.ts";
import { loadSqlite } from "./sqlite/load-sqlite.ts";

/**
 * Takes an OS lock that dies with the process: an exclusive transaction on an empty database. Undefined if another
 * holder doesn't release it in time. The file stays, because deleting it would race.
 */
export function holdProcessLock(file: string, waitMs: number): ProcessLock | undefined {
  return hold(file, waitMs, "BEGIN EXCLUSIVE");
}

/** The same but shared: any number of holders at a time, but none while one is exclusive. */
export function holdSharedLock(file: string, waitMs: number): ProcessLock | undefined {
  return hold(file, waitMs, "BEGIN; SELECT count(*) FROM sqlite_schema");
}

export interface ProcessLock {
  release(): void;
}

function hold(file: string, waitMs: number, begin: string): ProcessLock | undefined {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    database.exec(begin);
  } catch (error) {
    database.close();
    if (sqliteCode(error) === 5) return undefined;
    throw error;
  }
  let held = true;
  return {
    release: () => {
      if (held) database.close();
      held = false;
    },
  };
}
