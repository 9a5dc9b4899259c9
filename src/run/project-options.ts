import { resolve } from "node:path";
import { type JournalPlace } from "../adapters/journals/open-journal.ts";
import { journalPlace } from "../config/journal-place.ts";
import { isPostgresAddress } from "../adapters/journals/postgres/postgres-connection.ts";
import type { Journal } from "../core/ports/journal.ts";

/** The project to use. */
export interface ProjectOptions {
  /** The folder that relative paths are resolved against. @default the current directory */
  readonly cwd?: string;
  /** The journal's folder, a PostgreSQL address, or a journal of your own. @default the project's folder in your state folder */
  readonly journal?: string | Journal;
}

/** The place of a project's journal. For a journal given in code, it's the place of everything else. */
export function projectPlace({ cwd = "", journal }: ProjectOptions): JournalPlace {
  const folder = resolve(cwd);
  if (typeof journal !== "string") return journalPlace(undefined, folder);
  return journalPlace(isPostgresAddress(journal) ? journal : resolve(folder, journal), folder);
}
