import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { refuseLinkedWay } from "../../adapters/project-file.ts";
import { syncDirectory } from "../../adapters/journals/sync-directory.ts";
import { hashText } from "../../core/canonical.ts";

/** Every effect of adopting on the disk, one by one, so that a test can stop between any two. */
export interface FileOperations {
  /** Durable, and makes missing parents; if `isPrivate`, only the owner has access. */
  makeFolder(path: string, isPrivate: boolean): void;
  /** A new file, open for writing. */
  create(path: string, mode: number): number;
  write(file: number, bytes: Uint8Array): void;
  setMode(file: number, mode: number): void;
  sync(file: number): void;
  close(file: number): void;
  rename(from: string, to: string): void;
  /** Does nothing if it doesn't exist. */
  remove(path: string): void;
  removeFolder(path: string): void;
  syncFolder(path: string): void;
}

export const fileOperations: FileOperations = {
  makeFolder,
  create: (path, mode) => openSync(path, "wx", mode),
  write: (file, bytes) => writeFileSync(file, bytes),
  setMode: fchmodSync,
  sync: fsyncSync,
  close: closeSync,
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  removeFolder: (path) => rmdirSync(path),
  syncFolder: syncDirectory,
};

/** Writes a file completely or not at all. Once this returns, the file survives a crash. */
export function writeDurably(path: string, bytes: Uint8Array, operations: FileOperations): void {
  operations.makeFolder(dirname(path), true);
  stageFile(path, bytes, 0o600, operations);
  commitFile(path, operations);
}

/** Writes the bytes durably next to the path; without a mode, the file gets the default for new files. */
export function stageFile(
  path: string,
  bytes: Uint8Array,
  mode: number | null,
  operations: FileOperations,
): void {
  const staged = stagedPath(path);
  operations.remove(staged);
  const file = operations.create(staged, mode ?? 0o666);
  try {
    operations.write(file, bytes);
    // the process's umask has narrowed the mode
    if (mode !== null) operations.setMode(file, mode);
    operations.sync(file);
  } finally {
    operations.close(file);
  }
}

/** Gives the path the bytes that were staged for it. */
export function commitFile(path: string, operations: FileOperations): void {
  operations.rename(stagedPath(path), path);
  operations.syncFolder(dirname(path));
}

export const unstageFile = (path: string, operations: FileOperations): void =>
  operations.remove(stagedPath(path));

function makeFolder(path: string, isPrivate: boolean): void {
  if (isPrivate) refuseLinkedWay(path);
  const outermost = mkdirSync(path, { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
  if (outermost === undefined) return;
  for (let made = path; made.length >= outermost.length; made = dirname(made)) syncDirectory(dirname(made));
}

/** One name per file, so that the next process finds it; hidden, so that it isn't part of a skill. */
const stagedPath = (path: string): string =>
  join(dirname(path), `.whetstone-${hashText(basename(path)).slice(0, 8)}.tmp`);
