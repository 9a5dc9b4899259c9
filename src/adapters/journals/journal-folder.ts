import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../make-folder.ts";
import { journalWrite } from "./journal-errors.ts";

/** The way out of a place where no journal can be. */
export const anotherFolder = "Name a folder that you may write to with --journal <folder>.";

/** For its owner alone, and for no repository. */
export function makeJournalFolder(dir: string): void {
  try {
    makeFolder(dir, 0o700);
  } catch (cause) {
    throw journalWrite(dir, reasonOf(cause), anotherFolder, cause);
  }
  // in a folder with files, git would no longer see those
  if (readdirSync(dir).length > 0) return;
  try {
    writeFileSync(join(dir, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    // another process was faster, or somebody put a link there
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** The system's words, without its code: `no such file or directory, mkdir '/proc/nope'`. */
const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replace(/^[A-Z]+: /, "");
