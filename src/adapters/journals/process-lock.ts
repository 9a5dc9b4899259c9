import { sqliteCode } from "./journal-errors.ts";
import { loadSqlite } from "./load-sqlite.ts";

/**
 * Holds an OS lock that dies with the process: an exclusive transaction on an empty database.
 * Undefined when another holder does not give it up in time. The file stays; deleting it would race.
 */
export function holdProcessLock(file: string, waitMs: number): { release(): void } | undefined {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    database.exec("BEGIN EXCLUSIVE");
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
