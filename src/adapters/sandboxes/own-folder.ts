import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeFolder } from "../agents/remove-folder.ts";

/**
 * A temporary folder with its owner in its name. If a process is killed before it can clean up, the next process to
 * make one on the same machine removes the old folder.
 */
export async function makeOwnFolder(kind: string): Promise<string> {
  await sweep();
  return mkdtemp(join(tmpdir(), `whetstone-${kind}-${machine()}-${process.pid}-`));
}

/** A mount point for a file system. */
export const roomIn = (folder: string): string => join(folder, "room");

/** Removes such a folder, after unmounting everything in it. */
export async function removeOwnFolder(folder: string): Promise<void> {
  const devices = [folder, roomIn(folder)].map((path) => lstatSync(path, { throwIfNoEntry: false })?.dev);
  // it's released once the last process using it has ended
  if (new Set(devices).size > 1 && !devices.includes(undefined))
    await promisify(execFile)("umount", ["--lazy", roomIn(folder)]);
  await removeFolder(folder);
}

async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, place, owner] = /^whetstone-[a-z]+-([0-9a-f]{4})-(\d+)-\w{6}$/.exec(name) ?? [];
    if (place !== machine() || isAlive(Number(owner))) continue;
    // another process may be removing it as well
    await removeOwnFolder(join(tmpdir(), name)).catch(() => {});
  }
}

/** Process numbers only mean something on one machine, and a container has its own. */
const machine = (): string =>
  createHash("sha256").update(`${hostname()} ${processNamespace()}`).digest("hex").slice(0, 4);

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // it belongs to somebody else and still exists
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
