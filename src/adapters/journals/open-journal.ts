import { WhetstoneError } from "../../core/errors.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { makeJournalFolder } from "./journal-folder.ts";
import { withoutPassword } from "./postgres/postgres-connection.ts";
import { postgresJournal } from "./postgres/postgres.ts";
import { sqliteJournal } from "./sqlite/sqlite.ts";

/** Where a project keeps what it finished. */
export interface JournalPlace {
  /** Everything that is read back on this machine: artifacts, receipts and locks; the journal too, unless it has an address. */
  readonly journalDir: string;
  /** Of a journal that machines share, in PostgreSQL. */
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

/** As people may see it: never with a password. */
export const shownPlace = ({ journalDir, journalUrl }: JournalPlace): string =>
  journalUrl === undefined ? journalDir : withoutPassword(journalUrl);

/** For tools that work on the files of a journal. */
export function journalFolder({ journalDir, journalUrl }: JournalPlace): string {
  if (journalUrl === undefined) return journalDir;
  throw new WhetstoneError("usage", "This works on a journal in a folder, not on one in PostgreSQL.", {
    hint: "A damaged database is restored from a backup, such as pg_dump makes; `whetstone journal check` says whether it is damaged.",
  });
}
