import { renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { WhetstoneError } from "../../../core/errors.ts";
import type { Entry, Journal } from "../../../core/ports/journal.ts";
import { databasePath } from "./open-sqlite.ts";
import { sqliteJournal } from "./sqlite.ts";
import { syncDirectory } from "../sync-directory.ts";
import { verifySqlite } from "./verify-sqlite.ts";
import { finishReplacement, holdAlone, replaceJournal, replacementPath } from "../writers-lock.ts";

/** Which entries stay; undefined if nothing has to change. */
export type KeepEntry = ((entry: Entry) => boolean) | undefined;

export interface SqliteRewrite {
  readonly kept: number;
  readonly dropped: number;
  readonly freedBytes: number;
}

/**
 * Rewrites the journal without the entries that `plan` drops, numbered from 1 again. No other process may have it
 * open for writing. A crash at any moment leaves the old journal or the new one, never a mix.
 */
export async function rewriteSqlite(
  dir: string,
  plan: (journal: Journal) => Promise<KeepEntry>,
): Promise<SqliteRewrite> {
  finishReplacement(dir);
  const old = await sqliteJournal({ dir, readOnly: true });
  const alone = holdAlone(dir);
  try {
    if (alone === undefined) {
      throw new WhetstoneError("run-locked", `The journal in ${dir} is in use by another process.`, {
        hint: "Wait for running commands to end or stop them, then try again.",
      });
    }
    await verifySqlite(dir);
    const keep = await plan(old);
    if (keep === undefined) return { kept: 0, dropped: 0, freedBytes: 0 };
    const unfinished = join(dir, "next.new");
    rmSync(unfinished, { recursive: true, force: true });
    const counts = await copyEntries(old, unfinished, keep);
    await old.close();
    const sizeBefore = journalBytes(dir);
    renameSync(unfinished, replacementPath(dir));
    syncDirectory(dir);
    replaceJournal(dir);
    return { ...counts, freedBytes: Math.max(0, sizeBefore - journalBytes(dir)) };
  } finally {
    await old.close();
    alone?.release();
  }
}

// one transaction each
const batchRows = 1000;

async function copyEntries(
  old: Journal,
  to: string,
  keep: (entry: Entry) => boolean,
): Promise<Omit<SqliteRewrite, "freedBytes">> {
  const copy = await sqliteJournal({ dir: to });
  const counts = { kept: 0, dropped: 0 };
  try {
    let batch: Promise<Entry>[] = [];
    for await (const entry of old.read()) {
      if (!keep(entry)) {
        counts.dropped += 1;
        continue;
      }
      counts.kept += 1;
      batch.push(copy.write(entry));
      if (batch.length < batchRows) continue;
      await Promise.all(batch);
      batch = [];
    }
    await Promise.all(batch);
  } finally {
    await copy.close();
  }
  await verifySqlite(to);
  return counts;
}

function journalBytes(dir: string): number {
  let bytes = 0;
  for (const suffix of ["", "-wal"])
    bytes += statSync(`${databasePath(dir)}${suffix}`, { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
