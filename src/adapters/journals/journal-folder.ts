import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../make-folder.ts";
import { journalWrite } from "./journal-errors.ts";

/** The hint for a place that can't contain a journal. */
export const anotherFolder = "Name a folder you can write to with --journal <folder>.";

/** Only readable by its owner, and ignored by git. */
export function makeJournalFolder(dir: string): void {
  try {
    makeFolder(dir, 0o700);
  } catch (cause) {
    throw journalWrite(dir, reasonOf(cause), anotherFolder, cause);
  }
  // in a folder with other files, git would stop seeing those too
  if (readdirSync(dir).length > 0) return;
  try {
    writeFileSync(join(dir, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    // another process was faster, or somebody put a link there
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** The system's message without its code: `no such file or directory, mkdir '/proc/nope'`. */
const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replace(/^[A-Z]+: /, "");
