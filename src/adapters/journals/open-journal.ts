import { WhetstoneError } from "../../core/errors.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { makeJournalFolder } from "./journal-folder.ts";
import { withoutPassword } from "./postgres/postgres-connection.ts";
import { postgresJournal } from "./postgres/postgres.ts";
import { sqliteJournal } from "./sqlite/sqlite.ts";

/** The places where a project keeps finished work. */
export interface JournalPlace {
  /** Everything read back on this machine: artifacts, receipts and locks, and the journal unless it has an address. */
  readonly journalDir: string;
  /** The address of a journal shared by several machines, in PostgreSQL. */
  readonly journalUrl?: string;
}

/**
 * Opens a journal: SQLite in its folder, or a shared one at its address.
 *
 * @example
 * const journal = await openJournal({ journalDir: "./journal" }, { readOnly: true });
 * for await (const entry of journal.read({ kinds: ["event"] })) console.log(entry.name);
 * await journal.close();
 */
export async function openJournal(
  { journalDir, journalUrl }: JournalPlace,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<Journal> {
  if (journalUrl === undefined) return sqliteJournal({ dir: journalDir, readOnly });
  if (!readOnly) makeJournalFolder(journalDir);
  return postgresJournal({ url: journalUrl, readOnly });
}

/** The address to show to people, never with a password. */
export const shownPlace = ({ journalDir, journalUrl }: JournalPlace): string =>
  journalUrl === undefined ? journalDir : withoutPassword(journalUrl);

/** For tools that work on a journal's files. */
export function journalFolder({ journalDir, journalUrl }: JournalPlace): string {
  if (journalUrl === undefined) return journalDir;
  throw new WhetstoneError("usage", "This only works for a journal in a folder, not for one in PostgreSQL.", {
    hint: "`whetstone journal check` shows whether it is damaged. If so, restore the database from a backup, such as one from pg_dump.",
  });
}
