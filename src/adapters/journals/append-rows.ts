import type { DatabaseSync } from "node:sqlite";
import type { Entry, NewEntry } from "../../core/ports/journal.ts";
import type { EncodedEntry } from "./batch-writes.ts";
import { entrySum, entryText, nextChain } from "./entry-sum.ts";
import type { Head, HeadFile } from "./head.ts";
import { journalDamaged } from "./journal-errors.ts";
import { checkRow, entryOf, rowColumns } from "./sqlite/sqlite-rows.ts";

/** One transaction for a batch, then the head. Callers may only hear of it after both. */
export function appendRows(database: DatabaseSync, dir: string, headFile: HeadFile) {
  const lastRow = database.prepare("SELECT seq, chain FROM entries ORDER BY seq DESC LIMIT 1");
  const insertRow = database.prepare(
    "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) WHERE kind = 'result' DO NOTHING",
  );
  const firstResult = database.prepare(`SELECT ${rowColumns} FROM entries WHERE kind = 'result' AND key = ?`);
  let known: Head = readLast();

  return function append(batch: readonly EncodedEntry[]): Entry[] {
    const entries = inWriteLock("COMMIT", () => {
      // other processes write too, so the last row is read inside the transaction
      const last = readLast();
      if (last.seq < known.seq || (last.seq === known.seq && last.chain !== known.chain)) {
        throw journalDamaged(dir, `row ${known.seq}, which was written, is gone`);
      }
      known = last;
      return batch.map(({ entry, body }) => appendRow(entry, body));
    });
    // take the write lock again, which keeps the heads of several processes in order
    inWriteLock("ROLLBACK", () => headFile.publish(known));
    return entries;
  };

  function appendRow(entry: NewEntry, body: string): Entry {
    if (insert(entry, body)) return { ...entry, seq: known.seq };
    const first = checkRow(firstResult.get(Buffer.from(entry.key, "hex")) ?? {});
    if (first === undefined) {
      throw journalDamaged(dir, `the result for ${entry.key} doesn't match its checksum`);
    }
    insert({ ...entry, kind: "duplicate" }, body);
    return entryOf(first);
  }

  function insert(entry: NewEntry, body: string): boolean {
    const seq = known.seq + 1;
    const text = entryText(seq, entry, body);
    const sum = entrySum(text);
    const chain = nextChain(known.chain, text, sum);
    const key = Buffer.from(entry.key, "hex");
    const { changes } = insertRow.run(seq, entry.kind, entry.run, key, entry.name, body, sum, chain);
    if (changes === 0) return false;
    known = { seq, chain };
    return true;
  }

  function readLast(): Head {
    const row = lastRow.get();
    return row === undefined
      ? { seq: 0, chain: 0 }
      : { seq: Number(row["seq"]), chain: Number(row["chain"]) };
  }

  function inWriteLock<T>(end: "COMMIT" | "ROLLBACK", action: () => T): T {
    database.exec("BEGIN IMMEDIATE");
    try {
      const value = action();
      database.exec(end);
      return value;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }
}
