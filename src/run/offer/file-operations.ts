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

/** Every effect that adopting has on a disk, one by one, so that a test can die between any two. */
export interface FileOperations {
  /** Durably, with missing parents; only the owner may enter what `isPrivate`. */
  makeFolder(path: string, isPrivate: boolean): void;
  /** A new file, open for writing. */
  create(path: string, mode: number): number;
  write(file: number, bytes: Uint8Array): void;
  setMode(file: number, mode: number): void;
  sync(file: number): void;
  close(file: number): void;
  rename(from: string, to: string): void;
  /** Nothing happens when it is not there. */
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

/** Writes a file that is there in full or not at all, and stays there once this returns. */
export function writeDurably(path: string, bytes: Uint8Array, operations: FileOperations): void {
  operations.makeFolder(dirname(path), true);
  stageFile(path, bytes, 0o600, operations);
  commitFile(path, operations);
}

/** Puts the bytes beside the path, durably; without a mode the file gets what new files get here. */
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
    // the mask of the process has narrowed the mode
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

/** One name per file, so that whoever comes next finds it; hidden, so that no skill holds it. */
const stagedPath = (path: string): string =>
  join(dirname(path), `.whetstone-${hashText(basename(path)).slice(0, 8)}.tmp`);
