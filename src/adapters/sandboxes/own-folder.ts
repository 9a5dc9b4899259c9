import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeFolder } from "../agents/remove-folder.ts";

/**
 * A temporary folder that says by its name whose it is. Those of processes that were killed before they could tidy up are
 * removed by whoever makes the next one on the same machine.
 */
export async function makeOwnFolder(kind: string): Promise<string> {
  await sweep();
  return mkdtemp(join(tmpdir(), `whetstone-${kind}-${machine()}-${process.pid}-`));
}

/** Where a file system of its own may be mounted. */
export const roomIn = (folder: string): string => join(folder, "room");

/** Removes such a folder, and first what is mounted in it. */
export async function removeOwnFolder(folder: string): Promise<void> {
  const devices = [folder, roomIn(folder)].map((path) => lstatSync(path, { throwIfNoEntry: false })?.dev);
  // it is let go when the last process that looks at it has ended
  if (new Set(devices).size > 1 && !devices.includes(undefined))
    await promisify(execFile)("umount", ["--lazy", roomIn(folder)]);
  await removeFolder(folder);
}

async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, place, owner] = /^whetstone-[a-z]+-([0-9a-f]{4})-(\d+)-\w{6}$/.exec(name) ?? [];
    if (place !== machine() || isAlive(Number(owner))) continue;
    // another process may be at it as well
    await removeOwnFolder(join(tmpdir(), name)).catch(() => {});
  }
}

/** Numbers of processes mean something on one machine alone, and in a container those of its own. */
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
    // somebody else's, and there
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
