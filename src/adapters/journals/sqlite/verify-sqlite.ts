import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { Head } from "../head.ts";
import { journalDamaged, sqliteCode, translateJournalError } from "../journal-errors.ts";
import { connect, requireHead } from "./open-sqlite.ts";
import { checkRow, rowColumns } from "./sqlite-rows.ts";

/**
 * Reads everything: rows without gaps, checksums, running checksum, head, and that the three indexes contain exactly
 * the right rows. Throws `journal-damaged` at the first fault.
 */
export async function verifySqlite(dir: string): Promise<void> {
  let database: DatabaseSync | undefined;
  try {
    const head = requireHead(dir);
    database = connect(dir, true);
    // one snapshot for rows and indexes while other processes keep writing
    database.exec("BEGIN");
    const contents = await verifyRows(database, dir, head);
    await verifyResultIndex(database, dir, contents);
    verifyGroupIndexes(database, dir, contents);
  } catch (error) {
    throw translateJournalError(error, dir);
  } finally {
    database?.close();
  }
}

/** The expected content of the indexes, gathered while reading the rows. */
interface Contents {
  readonly results: KeySet;
  /** Count and sum of row numbers by run and kind, and by event name. */
  readonly runs: Map<string, Tally>;
  readonly names: Map<string, Tally>;
}

/** A set of keys in any order, and the sum of their row numbers. */
interface KeySet {
  count: number;
  mixed: number;
  numbers: number;
}

interface Tally {
  count: number;
  sum: number;
}

// about a millisecond of work, to keep the event loop responsive
const rowsPerTurn = 256;
const keysPerTurn = 2048;
// modulo a prime, every bit of a number counts, and sums stay exact in any real journal
const numberSum = "sum(seq % 1000003)";

async function verifyRows(database: DatabaseSync, dir: string, head: Head): Promise<Contents> {
  const contents: Contents = { results: emptyKeySet(), runs: new Map(), names: new Map() };
  const last = Number(database.prepare("SELECT max(seq) AS last FROM entries").get()?.["last"] ?? 0);
  if (last < head.seq) {
    throw journalDamaged(dir, `it ends at row ${last}, but ${head.seq} rows were recorded`);
  }
  const readRows = rowReader(database, dir);
  const readGroups = database.prepare(
    `SELECT run, kind, name, count(*) AS count, ${numberSum} AS sum FROM entries NOT INDEXED WHERE seq > ? AND seq <= ? GROUP BY run, kind, name`,
  );
  let chain = 0;
  for (let after = 0, to = 0; after < last; after = to) {
    to = Math.min(after + rowsPerTurn, last);
    if (after < head.seq && head.seq < to) to = head.seq;
    chain = readRows(after, to, chain, contents.results);
    if (to === head.seq && chain !== head.chain) {
      throw journalDamaged(dir, `row ${head.seq} isn't the row recorded in journal.head`);
    }
    for (const group of readGroups.all(after, to)) tallyGroup(contents, group);
    await setImmediate();
  }
  return contents;
}

function rowReader(database: DatabaseSync, dir: string) {
  // the same bytes as `entryText` and `nextChain`, joined by SQLite into one string for many rows
  const statement = database.prepare(`SELECT count(*) AS count,
    CAST(group_concat(format('%d\n%s\n%s\n%s\n%s\n%s\n%d\n', seq, kind, run, lower(hex(key)), name, body, sum), '') AS BLOB) AS text,
    CAST(group_concat(iif(kind = 'result', key, ''), '') AS BLOB) AS keys
    FROM entries NOT INDEXED WHERE seq > ? AND seq <= ?`);
  const chainAt = database.prepare("SELECT chain FROM entries WHERE seq = ?");

  return function readRows(after: number, to: number, chain: number, results: KeySet): number {
    const { count, text, keys } = readOrSplit(after, to);
    const next = text.reduce((sum, part) => crc32(part, sum), chain);
    if (count !== to - after || next !== chainAt.get(to)?.["chain"]) {
      throw journalDamaged(dir, findDamage(database, after, to));
    }
    for (const part of keys) addKeys(results, part, dir);
    return next;
  };

  function readOrSplit(after: number, to: number): { count: number; text: Uint8Array[]; keys: Uint8Array[] } {
    try {
      const row = statement.get(after, to);
      const text = row?.["text"];
      const keys = row?.["keys"];
      return {
        count: Number(row?.["count"]),
        text: text instanceof Uint8Array ? [text] : [],
        keys: keys instanceof Uint8Array ? [keys] : [],
      };
    } catch (error) {
      // SQLITE_TOOBIG: together these rows exceed a gigabyte
      if (sqliteCode(error) !== 18 || to - after === 1) throw error;
      const middle = after + Math.floor((to - after) / 2);
      const [left, right] = [readOrSplit(after, middle), readOrSplit(middle, to)];
      return {
        count: left.count + right.count,
        text: [...left.text, ...right.text],
        keys: [...left.keys, ...right.keys],
      };
    }
  }
}

function findDamage(database: DatabaseSync, after: number, to: number): string {
  const statement = database.prepare(`SELECT ${rowColumns} FROM entries WHERE seq = ?`);
  for (let seq = after + 1; seq <= to; seq += 1) {
    const row = statement.get(seq);
    if (row === undefined) return `row ${seq} is missing`;
    if (checkRow(row) === undefined) return `row ${seq} doesn't match its checksum`;
  }
  return `rows ${after + 1} to ${to} don't follow the rows before them`;
}

const keyBytes = 32;

const emptyKeySet = (): KeySet => ({ count: 0, mixed: 0, numbers: 0 });

function addKeys(keySet: KeySet, bytes: Uint8Array, dir: string): void {
  if (bytes.length % keyBytes !== 0) throw journalDamaged(dir, "a result has an invalid key");
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let start = 0; start < words.length; start += keyBytes / 4) {
    let mixed = 0;
    for (let at = start; at < start + keyBytes / 4; at += 1) {
      mixed = Math.imul(mixed ^ (words[at] ?? 0), 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    keySet.count += 1;
    keySet.mixed = (keySet.mixed + mixed) | 0;
  }
}

async function verifyResultIndex(database: DatabaseSync, dir: string, { results }: Contents): Promise<void> {
  const statement =
    database.prepare(`SELECT max(key) AS last, CAST(group_concat(key, '') AS BLOB) AS keys, ${numberSum} AS sum
    FROM (SELECT key, seq FROM entries INDEXED BY results WHERE kind = 'result' AND key > ? ORDER BY key LIMIT ${keysPerTurn})`);
  const found = emptyKeySet();
  let last: Uint8Array = new Uint8Array();
  while (found.count <= results.count) {
    const row = statement.get(last);
    if (!(row?.["keys"] instanceof Uint8Array) || !(row["last"] instanceof Uint8Array)) break;
    addKeys(found, row["keys"], dir);
    found.numbers += Number(row["sum"]);
    last = row["last"];
    await setImmediate();
  }
  const { count, mixed, numbers } = found;
  if (count !== results.count || mixed !== results.mixed || numbers !== results.numbers) {
    throw journalDamaged(dir, "the index of results doesn't match the rows");
  }
}

function verifyGroupIndexes(database: DatabaseSync, dir: string, { runs, names }: Contents): void {
  const byRun = new Map<string, Tally>();
  const byName = new Map<string, Tally>();
  const runGroups = database.prepare(
    `SELECT run, kind, count(*) AS count, ${numberSum} AS sum FROM entries INDEXED BY by_run GROUP BY run, kind`,
  );
  for (const group of runGroups.all()) addTally(byRun, runGroup(group), group);
  const nameGroups = database.prepare(
    `SELECT name, count(*) AS count, ${numberSum} AS sum FROM entries INDEXED BY by_name WHERE kind = 'event' GROUP BY name`,
  );
  for (const group of nameGroups.all()) addTally(byName, String(group["name"]), group);
  if (!sameTallies(byRun, runs)) throw journalDamaged(dir, "the index of runs doesn't match the rows");
  if (!sameTallies(byName, names)) throw journalDamaged(dir, "the index of events doesn't match the rows");
}

type Group = Readonly<Record<string, unknown>>;

const runGroup = (group: Group): string => `${String(group["kind"])} ${String(group["run"])}`;

function tallyGroup(contents: Contents, group: Group): void {
  addTally(contents.runs, runGroup(group), group);
  if (group["kind"] === "result") contents.results.numbers += Number(group["sum"]);
  if (group["kind"] === "event") addTally(contents.names, String(group["name"]), group);
}

function addTally(tallies: Map<string, Tally>, name: string, group: Group): void {
  const tally = tallies.get(name) ?? { count: 0, sum: 0 };
  tally.count += Number(group["count"]);
  tally.sum += Number(group["sum"]);
  tallies.set(name, tally);
}

function sameTallies(left: Map<string, Tally>, right: Map<string, Tally>): boolean {
  if (left.size !== right.size) return false;
  for (const [name, { count, sum }] of left) {
    const other = right.get(name);
    if (other?.count !== count || other.sum !== sum) return false;
  }
  return true;
}
