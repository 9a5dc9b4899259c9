import { resolve } from "node:path";
import { type JournalPlace } from "../adapters/journals/open-journal.ts";
import { journalPlace } from "../config/journal-place.ts";
import { isPostgresAddress } from "../adapters/journals/postgres/postgres-connection.ts";
import type { Journal } from "../core/ports/journal.ts";

/** Which project is meant. */
export interface ProjectOptions {
  /** The folder that relative paths are meant from. @default the working folder */
  readonly cwd?: string;
  /** The folder that holds the journal, an address of PostgreSQL, or a journal of your own. @default the project's folder in your state folder */
  readonly journal?: string | Journal;
}

/** Where the journal of a project is; beside a journal of its own, where everything else is. */
export function projectPlace({ cwd = "", journal }: ProjectOptions): JournalPlace {
  const folder = resolve(cwd);
  if (typeof journal !== "string") return journalPlace(undefined, folder);
  return journalPlace(isPostgresAddress(journal) ? journal : resolve(folder, journal), folder);
}
