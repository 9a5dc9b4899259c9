import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { makeFolder } from "../../make-folder.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { Entry, Journal } from "../../../core/ports/journal.ts";
import { damageList } from "../damage-list.ts";
import { readHead } from "../head.ts";
import { translateJournalError } from "../journal-errors.ts";
import { connect, databasePath } from "./open-sqlite.ts";
import { readDamaged } from "./read-damaged.ts";
import { sqliteJournal } from "./sqlite.ts";
import { entryOf } from "./sqlite-rows.ts";

export interface Salvage {
  /** The rows that were copied. */
  readonly rows: number;
  readonly results: number;
  readonly events: number;
  /** One sentence for each thing that couldn't be copied. */
  readonly lost: readonly string[];
}

/** Copies every row that still matches its checksum into a new journal. Never touches the old one. */
export async function salvageSqlite(dir: string, to: string): Promise<Salvage> {
  if (!existsSync(databasePath(dir))) {
    throw new WhetstoneError("not-found", `No journal.db found in ${dir}.`, {
      hint: "Name the directory that contains the damaged `journal.db`.",
    });
  }
  if (existsSync(databasePath(to))) {
    throw new WhetstoneError("usage", `${to} already contains a journal.`, {
      hint: "Name a directory that doesn't exist yet.",
    });
  }
  makeFolder(to, 0o700);
  const copy = mkdtempSync(join(to, "source-"));
  try {
    copyDatabase(dir, copy);
    const journal = await sqliteJournal({ dir: to });
    const salvage = await copyRows(copy, journal, dir);
    await journal.close();
    return salvage;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** We open a copy, because SQLite writes next to whatever it opens. */
function copyDatabase(dir: string, copy: string): void {
  for (const suffix of ["", "-wal"]) {
    const file = `${databasePath(dir)}${suffix}`;
    if (existsSync(file)) copyFileSync(file, `${databasePath(copy)}${suffix}`, constants.COPYFILE_FICLONE);
  }
}

// one transaction each
const batchRows = 1000;

async function copyRows(copy: string, journal: Journal, dir: string): Promise<Salvage> {
  const head = readHead(dir);
  const lost = damageList();
  const count = { rows: 0, results: 0, events: 0 };
  let database: DatabaseSync | undefined;
  let batch: Entry[] = [];
  try {
    database = connect(copy, false);
    for (const found of readDamaged(database, typeof head === "string" ? 0 : head.seq)) {
      if (found.kind === "lost") lost.rows(found.from, found.to, found.why);
      else batch.push(entryOf(found.row));
      if (batch.length === batchRows) await writeBatch();
    }
  } catch (error) {
    const translated = translateJournalError(error, dir);
    if (translated.code !== "journal-damaged") throw translated;
    lost.say(translated.message);
  } finally {
    database?.close();
  }
  await writeBatch();
  return { ...count, lost: lost.list() };

  async function writeBatch(): Promise<void> {
    const entries = batch;
    batch = [];
    await Promise.all(entries.map((entry) => journal.write(entry)));
    count.rows += entries.length;
    count.results += entries.filter(({ kind }) => kind === "result").length;
    count.events += entries.filter(({ kind }) => kind === "event").length;
  }
}
