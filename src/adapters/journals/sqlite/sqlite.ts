import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { makeFolder } from "../../make-folder.ts";
import { hashText } from "../../../core/canonical.ts";
import type { Entry, Journal, Lock, NewEntry, ReadFilter } from "../../../core/ports/journal.ts";
import { appendRows } from "../append-rows.ts";
import { batchWrites } from "../batch-writes.ts";
import { openHead } from "../head.ts";
import { makeJournalFolder } from "../journal-folder.ts";
import { entryKinds, matchesFilter } from "../journal-entry.ts";
import {
  journalDamaged,
  openedReadOnly,
  runLocked,
  translateJournalError,
  journalWrite,
} from "../journal-errors.ts";
import { lockDirectory, openJournalDatabase, connect, databasePath } from "./open-sqlite.ts";
import { holdProcessLock } from "../process-lock.ts";
import { checkRow, entryOf, type RawRow, rowColumns } from "./sqlite-rows.ts";
import { verifySqlite } from "./verify-sqlite.ts";
import { holdAsWriter, refuseReplacement } from "../writers-lock.ts";
import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";

export interface SqliteJournalOptions {
  /** Contains `journal.db`, `journal.head` and `locks/`; created with mode 0700 if missing. */
  readonly dir: string;
  /** Never changes anything and never blocks a writer. @default false */
  readonly readOnly?: boolean;
}

/**
 * The default journal: SQLite in WAL mode, every commit synced. SQLite alone does not notice lost rows, so each
 * row carries a checksum and a running checksum, and `journal.head`, a second synced file, knows the last
 * row that was promised. One head serves all writers: it is written under the database's own write lock.
 *
 * @example
 * const journal = await sqliteJournal({ dir: "./journal" });
 * await train({ skill: "./SKILL.md", tasks: "./tasks.jsonl", journal });
 * await journal.close();
 */
export async function sqliteJournal({ dir, readOnly = false }: SqliteJournalOptions): Promise<Journal> {
  const asWriter = guarded(dir, () => {
    if (readOnly) return refuseReplacement(dir);
    makeJournalFolder(dir);
    return holdAsWriter(dir);
  });
  let database: DatabaseSync;
  try {
    database = openJournalDatabase(dir, { readOnly });
  } catch (error) {
    asWriter?.release();
    throw error;
  }
  const locks = new Set<{ release(): void }>();
  const byKey = database.prepare(`SELECT ${rowColumns} FROM entries WHERE kind = 'result' AND key = ?`);
  let closing: Promise<void> | undefined;
  const writes = readOnly ? undefined : openWrites(database, dir);

  return { get, write, read, lock, close: () => (closing ??= closeAll()) };

  async function get(key: string): Promise<Entry | undefined> {
    const row = guarded(dir, () => byKey.get(Buffer.from(key, "hex")));
    return row === undefined ? undefined : checkedEntry(row, dir);
  }

  async function write(entry: NewEntry): Promise<Entry> {
    if (writes === undefined) throw openedReadOnly(dir);
    return writes.add(entry);
  }

  function read(filter: ReadFilter = {}): AsyncIterable<Entry> {
    return readPages(database, dir, filter);
  }

  async function lock(run: string): Promise<Lock> {
    if (readOnly) throw openedReadOnly(dir);
    const held = guarded(dir, () => {
      makeFolder(lockDirectory(dir), 0o700);
      return holdProcessLock(lockPath(dir, run), 0);
    });
    if (held === undefined) throw runLocked(run);
    locks.add(held);
    const release = async (): Promise<void> => {
      held.release();
      locks.delete(held);
    };
    try {
      await secureSqlite(dir);
      await verifySqlite(dir);
    } catch (error) {
      await release();
      throw error;
    }
    return { release };
  }

  async function closeAll(): Promise<void> {
    await writes?.close();
    for (const held of locks) held.release();
    guarded(dir, () => database.close());
    asWriter?.release();
  }
}

function openWrites(database: DatabaseSync, dir: string) {
  const head = guarded(dir, () => openHead(dir));
  const append = guarded(dir, () => appendRows(database, dir, head));
  const batches = batchWrites({
    flush: async (batch) => guarded(dir, () => append(batch)),
    place: dir,
  });
  return {
    add: batches.add,
    close: async () => {
      await batches.close();
      head.close();
    },
  };
}

// small enough for entries of a megabyte
const pageRows = 100;

async function* readPages(database: DatabaseSync, dir: string, filter: ReadFilter): AsyncGenerator<Entry> {
  if (filter.kinds?.length === 0 || filter.names?.length === 0) return;
  const { sql, parameters, isComplete } = readQuery(filter, pageRows);
  const statement = guarded(dir, () => database.prepare(sql));
  let after = filter.after ?? 0;
  for (;;) {
    // one page at a time, because an open statement would delay the checkpoint while the reader thinks
    const rows = guarded(dir, () => statement.all({ ...parameters, after }));
    for (const row of rows) {
      const entry = checkedEntry(row, dir);
      if (isComplete && entry.seq !== after + 1) throw journalDamaged(dir, `row ${after + 1} is missing`);
      after = entry.seq;
      if (matchesFilter(entry, filter)) yield entry;
    }
    if (rows.length < pageRows) return;
    await nextTurn();
  }
}

function checkedEntry(row: RawRow, dir: string): Entry {
  const checked = checkRow(row);
  if (checked === undefined) {
    throw journalDamaged(dir, `row ${String(row["seq"])} doesn't match its checksum`);
  }
  return entryOf(checked);
}

function guarded<T>(dir: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw translateJournalError(error, dir);
  }
}

const lockPath = (dir: string, run: string): string =>
  join(lockDirectory(dir), `${/^[A-Za-z0-9][\w.-]{0,99}$/.test(run) ? run : hashText(run)}.db`);

/** One page of `read`: the entries with a number above `$after`. */
interface ReadQuery {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The answer includes every row from `after` on, so that gaps are visible. */
  readonly isComplete: boolean;
}

/**
 * The answer may contain more than the filter asks for: `matchesFilter` decides. There's an arm for each run and
 * kind, or for each event name, and SQLite merges them by number without sorting.
 */
function readQuery({ run, kinds = entryKinds, names }: ReadFilter, pageRows: number): ReadQuery {
  const parameters: Record<string, string> = {};
  const bind = (name: string, value: string): string => {
    parameters[name] = value;
    return `$${name}`;
  };
  const nameList = names?.map((name, at) => bind(`name${at}`, name));
  const page = (arms: readonly string[], isComplete: boolean): ReadQuery => ({
    sql: `${arms.map((arm) => `SELECT ${rowColumns} FROM entries ${arm} AND seq > $after`).join(" UNION ALL ")} ORDER BY seq LIMIT ${pageRows}`,
    parameters,
    isComplete,
  });

  if (run !== undefined) {
    const inRun = bind("run", run);
    const named = nameList === undefined ? "" : ` AND name IN (${nameList.join(", ")})`;
    return page(
      kinds.map(
        (kind, at) => `INDEXED BY by_run WHERE run = ${inRun} AND kind = ${bind(`kind${at}`, kind)}${named}`,
      ),
      false,
    );
  }
  if (nameList !== undefined && !names?.includes("")) {
    return page(
      nameList.map((name) => `INDEXED BY by_name WHERE kind = 'event' AND name = ${name}`),
      false,
    );
  }
  return page(["NOT INDEXED WHERE true"], true);
}

const tries = 600;
const betweenMs = 100;

/**
 * Makes every readable row safe. After a failed sync, the write-ahead log may contain rows that are readable but not
 * on disk, and a later sync of that log might not write them again. So we copy them into the database, sync it, and
 * empty the log.
 */
async function secureSqlite(dir: string): Promise<void> {
  let database: DatabaseSync | undefined;
  try {
    database = connect(dir, false);
    // we wait here, where it doesn't block the process
    database.exec("PRAGMA busy_timeout = 0");
    const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
    for (let nth = 0; nth < tries; nth += 1) {
      const { busy, log, checkpointed } = checkpoint.get() ?? {};
      // while others read, the log stays; only the database has to have all of it
      if (busy === 0 || (log !== -1 && log === checkpointed)) return syncLog(dir);
      await sleep(betweenMs);
    }
    throw journalWrite(dir, "other processes use it", "Run the same command again once they are done.");
  } catch (error) {
    throw translateJournalError(error, dir);
  } finally {
    database?.close();
  }
}

/** The empty log must be durable too, because an old log would hide newer pages. This file isn't locked. */
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
