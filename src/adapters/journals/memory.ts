import type { Entry, Journal, Lock, ReadFilter } from "../../core/ports/journal.ts";
import { batchWrites, type EncodedEntry } from "./batch-writes.ts";
import { matchesFilter } from "./journal-entry.ts";
import { runLocked } from "./journal-errors.ts";

/** Options of `memoryJournal`. */
export interface MemoryJournalOptions {
  /** One entry each, as JSON. If the caller keeps them, they outlive the journal. @default nothing is kept */
  readonly rows?: string[];
}

/**
 * For tests: behaves like a durable journal for as long as this process lives.
 *
 * @example
 * const journal = await memoryJournal();
 * await train({ skill: "./SKILL.md", tasks: "./tasks.jsonl", journal });
 */
export async function memoryJournal({ rows = [] }: MemoryJournalOptions = {}): Promise<Journal> {
  const results = new Map<string, string>();
  for (const row of rows) {
    const { kind, key } = decode(row);
    if (kind === "result") results.set(key, row);
  }
  const locked = new Set<string>();
  const batches = batchWrites({ flush, place: "memory" });
  return { get, write: batches.add, read, lock, close };

  async function get(key: string): Promise<Entry | undefined> {
    const row = results.get(key);
    return row === undefined ? undefined : decode(row);
  }

  async function* read(filter: ReadFilter = {}): AsyncGenerator<Entry> {
    for (let at = filter.after ?? 0; at < rows.length; at += 1) {
      const entry = decode(rows[at] ?? "");
      if (matchesFilter(entry, filter)) yield entry;
    }
  }

  async function lock(run: string): Promise<Lock> {
    if (locked.has(run)) throw runLocked(run);
    locked.add(run);
    return { release: async () => void locked.delete(run) };
  }

  async function close(): Promise<void> {
    await batches.close();
    locked.clear();
  }

  async function flush(batch: readonly EncodedEntry[]): Promise<Entry[]> {
    return batch.map(({ entry, body }) => {
      const first = entry.kind === "result" ? results.get(entry.key) : undefined;
      const kind = first === undefined ? entry.kind : "duplicate";
      const row = JSON.stringify({ ...entry, kind, seq: rows.length + 1, body: JSON.parse(body) as unknown });
      rows.push(row);
      if (entry.kind === "result" && first === undefined) results.set(entry.key, row);
      return decode(first ?? row);
    });
  }
}

const decode = (row: string): Entry => JSON.parse(row) as Entry;
