import type { Entry, Journal, Lock, ReadFilter } from "../../../src/core/ports/journal.ts";
import { batchWrites, type EncodedEntry } from "../../../src/adapters/journals/batch-writes.ts";
import { matchesFilter } from "../../../src/adapters/journals/journal-entry.ts";
import { journalDamaged, journalWrite, runLocked } from "../../../src/adapters/journals/journal-errors.ts";
import { decodeEntry, encodeEntry, encodeHead, encodeVoid, readLog } from "./line-log.ts";
import type { Head } from "../../../src/adapters/journals/head.ts";

/** Lines that are only ever added. What was not synced may be lost, or torn, in a crash. */
export interface Disk {
  append(lines: readonly string[]): void;
  sync(): Promise<void>;
  lines(): readonly string[];
}

const place = "disk";

/** The promises of the durable journals, on lines of text of a disk that a test can break; one open journal for each disk. */
export async function diskJournal(disk: Disk): Promise<Journal> {
  const log = readLog(disk.lines(), place);
  const rows = [...log.rows];
  const results = new Map<string, string>();
  for (const row of rows) {
    const { kind, key } = decodeRow(row);
    if (kind === "result") results.set(key, row);
  }
  let last: Head = log.last;
  let torn = log.torn;
  const locked = new Set<string>();
  const batches = batchWrites({ flush, place });
  return { get, write: batches.add, read, lock, close };

  async function get(key: string): Promise<Entry | undefined> {
    const row = results.get(key);
    return row === undefined ? undefined : decodeRow(row);
  }

  async function* read(filter: ReadFilter = {}): AsyncGenerator<Entry> {
    for (let at = filter.after ?? 0; at < rows.length; at += 1) {
      const entry = decodeRow(rows[at] ?? "");
      if (matchesFilter(entry, filter)) yield entry;
    }
  }

  async function lock(run: string): Promise<Lock> {
    if (locked.has(run)) throw runLocked(run);
    const found = readLog(disk.lines(), place).rows.length;
    if (found < rows.length) {
      throw journalDamaged(place, `it ends at row ${found} although ${rows.length} rows were recorded`);
    }
    locked.add(run);
    // what an earlier process wrote to a disk that then failed may be readable and not yet safe: nobody may rely on it
    await sync().catch((error) => {
      locked.delete(run);
      throw error;
    });
    return { release: async () => void locked.delete(run) };
  }

  async function close(): Promise<void> {
    await batches.close();
    locked.clear();
  }

  async function flush(batch: readonly EncodedEntry[]): Promise<Entry[]> {
    const added: string[] = [];
    const fresh = new Map<string, string>();
    const entries = batch.map(({ entry, body }) => {
      const first = entry.kind === "result" ? (results.get(entry.key) ?? fresh.get(entry.key)) : undefined;
      const { line, head } = encodeEntry(
        last,
        first === undefined ? entry : { ...entry, kind: "duplicate" },
        body,
      );
      last = head;
      added.push(line);
      if (first !== undefined) return decodeRow(first);
      if (entry.kind === "result") fresh.set(entry.key, line);
      return { ...entry, seq: head.seq };
    });
    await commit(added);
    // only now may anybody see them
    for (const row of added) rows.push(row);
    for (const [key, row] of fresh) results.set(key, row);
    return entries;
  }

  async function commit(added: readonly string[]): Promise<void> {
    try {
      disk.append(torn === undefined ? added : [encodeVoid(torn), ...added]);
      torn = undefined;
    } catch (error) {
      throw unwritten(error);
    }
    await sync();
    disk.append([encodeHead(last)]);
    await sync();
  }

  async function sync(): Promise<void> {
    try {
      await disk.sync();
    } catch (error) {
      throw unwritten(error);
    }
  }
}

const unwritten = (error: unknown) =>
  journalWrite(place, String(error), "Open it again once the disk works.", error);

function decodeRow(row: string): Entry {
  const decoded = decodeEntry(row);
  if (decoded === undefined) throw journalDamaged(place, "a row does not match its checksum");
  return decoded.entry;
}
