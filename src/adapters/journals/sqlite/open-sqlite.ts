import { accessSync, constants, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { makeFolder } from "../../make-folder.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { isLooking } from "../../look-only.ts";
import { createHead, readHead, type Head } from "../head.ts";
import { journalDamaged, journalWrite, translateJournalError } from "../journal-errors.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { holdProcessLock } from "../process-lock.ts";
import { checkRow, rowColumns } from "./sqlite-rows.ts";
import { checkSchema, createSchema } from "./sqlite-schema.ts";
import { syncDirectory } from "../sync-directory.ts";

export const databasePath = (dir: string): string => join(dir, "journal.db");
export const lockDirectory = (dir: string): string => join(dir, "locks");

const busyMs = 5000;

/** Opens the database, creating it if needed, and checks schema, last row and head. */
export function openJournalDatabase(dir: string, { readOnly }: { readonly readOnly: boolean }): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (!existsSync(databasePath(dir))) {
      refuseLostDatabase(dir);
      if (readOnly) throw nothingHere(dir);
      createJournal(dir);
    }
    // first the head, then the rows: other processes only ever add rows
    const head = requireHead(dir);
    database = connect(dir, readOnly);
    checkSchema(database, dir);
    if (!readOnly) checkMode(database, dir);
    checkTail(database, dir, head);
    return database;
  } catch (error) {
    database?.close();
    throw translateJournalError(error, dir);
  }
}

/** The head that every existing journal has. */
export function requireHead(dir: string): Head {
  const head = readHead(dir);
  if (head === "missing") throw journalDamaged(dir, "journal.head is missing");
  if (head === "unreadable") throw journalDamaged(dir, "journal.head can't be read");
  return head;
}

/**
 * A bare connection. A process that uses `journal.db` must never open it through the file system, because closing any
 * descriptor of a file drops the process's POSIX locks on it.
 */
export function connect(dir: string, readOnly: boolean): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const path = databasePath(dir);
  if (readOnly && isSealed(dir)) {
    return new DatabaseSync(new URL(`${pathToFileURL(path).href}?immutable=1`), { readOnly: true });
  }
  const database = new DatabaseSync(path, { readOnly, timeout: busyMs });
  try {
    // the cache fits the key index of a million results
    database.exec("PRAGMA synchronous = FULL; PRAGMA cache_size = -65536");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Nobody has it open, and SQLite can't (read-only file system) or shouldn't (look) create its shared memory file. */
function isSealed(dir: string): boolean {
  if (existsSync(`${databasePath(dir)}-wal`)) return false;
  if (isLooking()) return true;
  try {
    accessSync(dir, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

function refuseLostDatabase(dir: string): void {
  const head = readHead(dir);
  const hadRows = head === "unreadable" || (head !== "missing" && head.seq > 0);
  if (hadRows || existsSync(`${databasePath(dir)}-wal`)) {
    throw journalDamaged(dir, "journal.db is missing, but rows were recorded");
  }
}

const nothingHere = (dir: string): WhetstoneError =>
  new WhetstoneError("not-found", `No journal found in ${dir}.`, {
    hint: "Your first `whetstone train` creates one. If yours is elsewhere, name it with `--journal`.",
  });

/** The head first, and the database last by rename, so that a visible database has its head and its tables. */
function createJournal(dir: string): void {
  makeFolder(lockDirectory(dir), 0o700);
  const lock = holdProcessLock(join(lockDirectory(dir), ".create.db"), busyMs);
  if (lock === undefined) {
    throw journalWrite(dir, "another process is still creating it", "Run the same command again.");
  }
  try {
    if (existsSync(databasePath(dir))) return;
    if (readHead(dir) === "missing") createHead(dir);
    const unfinished = `${databasePath(dir)}.new`;
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${unfinished}${suffix}`, { force: true });
    const { DatabaseSync } = loadSqlite();
    const database = new DatabaseSync(unfinished);
    try {
      createSchema(database);
      database.exec("PRAGMA journal_mode = WAL");
    } finally {
      database.close();
    }
    renameSync(unfinished, databasePath(dir));
    syncDirectory(dir);
  } finally {
    lock.release();
  }
}

function checkMode(database: DatabaseSync, dir: string): void {
  const mode = database.prepare("PRAGMA journal_mode").get()?.["journal_mode"];
  if (mode !== "wal") throw journalDamaged(dir, `journal.db is in ${String(mode)} mode, not in wal mode`);
}

function checkTail(database: DatabaseSync, dir: string, head: Head): void {
  const last = database.prepare(`SELECT ${rowColumns} FROM entries ORDER BY seq DESC LIMIT 1`).get();
  if (last !== undefined && checkRow(last) === undefined) {
    throw journalDamaged(dir, `row ${String(last["seq"])} doesn't match its checksum`);
  }
  if (head.seq === 0) return;
  const atHead = database.prepare(`SELECT ${rowColumns} FROM entries WHERE seq = ?`).get(head.seq);
  if (atHead === undefined) {
    const count = typeof last?.["seq"] === "number" ? last["seq"] : 0;
    throw journalDamaged(dir, `it ends at row ${count}, but ${head.seq} rows were recorded`);
  }
  if (checkRow(atHead) === undefined || atHead["chain"] !== head.chain) {
    throw journalDamaged(dir, `row ${head.seq} isn't the row recorded in journal.head`);
  }
}
