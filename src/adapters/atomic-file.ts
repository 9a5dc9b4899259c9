import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** The file contains either its old bytes or all of the new ones, whenever the process dies. */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  { isExecutable = false, isPrivate = false } = {},
): Promise<void> {
  makeFolder(dirname(path), isPrivate ? 0o700 : 0o777);
  // one name for all processes, so that the next one overwrites and renames what a killed process left
  const temporary = `${path}.tmp`;
  // somebody else may have put a link there, which would divert the bytes, or a pipe, which would block us
  await rm(temporary, { force: true });
  const file = await open(temporary, asNewFile, isPrivate ? 0o600 : 0o666);
  try {
    if (isPrivate) await file.chmod(0o600);
    await file.writeFile(content);
    // readable as the process's umask allows, and executable for the same people
    if (isExecutable) {
      const { mode } = await file.stat();
      await file.chmod((mode & 0o777) | ((mode & 0o444) >> 2));
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** Appends to a file, creating it if needed, readable by its owner alone. */
export async function appendPrivately(path: string, text: string): Promise<void> {
  makeFolder(dirname(path), 0o700);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

const asNewFile = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
