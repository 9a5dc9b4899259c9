import { WhetstoneError } from "../../core/errors.ts";

/** Rows are missing or changed. Always names the two commands that help. */
export function journalDamaged(place: string, what: string, cause?: unknown): WhetstoneError {
  return new WhetstoneError("journal-damaged", `The journal in ${place} is damaged: ${what}.`, {
    hint: "See what's left with `whetstone journal check`, then copy it into a new journal with `whetstone journal salvage`.",
    cause,
  });
}

/** Nothing more can be written; everything recorded stays. */
export function journalWrite(place: string, what: string, next: string, cause?: unknown): WhetstoneError {
  return new WhetstoneError("journal-write", `Can't write to the journal in ${place}: ${what}.`, {
    hint: next,
    cause,
  });
}

export const openedReadOnly = (place: string): WhetstoneError =>
  journalWrite(place, "it was opened read-only", "Open it without `readOnly`.");

export const runLocked = (run: string): WhetstoneError =>
  new WhetstoneError("run-locked", `Run ${run} is being continued by another process.`, {
    hint: "Wait for it to end, or stop it. The lock ends with its process, so you don't have to clean anything up.",
  });

/** Gives every SQLite and file system error a code, a sentence and a next step. */
export function translateJournalError(error: unknown, dir: string): WhetstoneError {
  if (error instanceof WhetstoneError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const errcode = sqliteCode(error);
  if (errcode !== undefined) return translateSqlite(errcode, text, dir, error);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") return diskFull(dir, error);
  return journalWrite(dir, text, "Check that the directory exists and that you can write to it.", error);
}

/** The extended result code of an SQLite error (https://sqlite.org/rescode.html). */
export const sqliteCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode
    : undefined;

// the low byte of an extended code
const sqlite = { perm: 3, busy: 5, readOnly: 8, ioError: 10, full: 13, cannotOpen: 14 } as const;
// the write, fsync, truncate and shared-memory-size forms of the I/O error
const failedWrites: readonly number[] = [778, 1034, 1546, 4874];

function translateSqlite(errcode: number, text: string, dir: string, cause: unknown): WhetstoneError {
  const primary = errcode & 0xff;
  if (primary === sqlite.full) return diskFull(dir, cause);
  if (primary === sqlite.busy) {
    return journalWrite(
      dir,
      "another process kept it locked for more than 5 seconds",
      "Run the same command again: everything recorded so far is kept.",
      cause,
    );
  }
  if (primary === sqlite.readOnly || primary === sqlite.cannotOpen || primary === sqlite.perm) {
    return journalWrite(dir, text, "Check that you can write to the directory and its files.", cause);
  }
  if (primary === sqlite.ioError && failedWrites.includes(errcode)) {
    return journalWrite(
      dir,
      text,
      "Check the disk and its free space, then run the same command again.",
      cause,
    );
  }
  return journalDamaged(dir, `SQLite reports "${text}"`, cause);
}

const diskFull = (dir: string, cause: unknown): WhetstoneError =>
  journalWrite(
    dir,
    "the disk is full",
    "Free some space and run the same command again: everything recorded so far is kept.",
    cause,
  );
