import { execFile } from "node:child_process";
import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Sandbox } from "../../core/ports/sandbox.ts";
import { makeOwnFolder, removeOwnFolder, roomIn } from "./own-folder.ts";
import { bytesOfFile } from "./watch-limits.ts";

/** The folders of one box. */
export interface OwnVolume extends AsyncDisposable {
  /** For files the box doesn't write. */
  readonly folder: string;
  /** For files it writes. */
  readonly room: string;
  /** The same folder, if the kernel limits its size. */
  readonly volume?: string;
}

/**
 * A temporary folder with room for a given number of megabytes. If possible it's a file system of its own, whose size
 * counts everything, even nameless files that only a message in flight still uses.
 */
export async function openVolume(
  kind: string,
  sandbox: Pick<Sandbox, "name">,
  megabytes: number,
): Promise<OwnVolume> {
  const folder = await makeOwnFolder(kind);
  const room = roomIn(folder);
  await mkdir(room);
  const isHeld = sandbox.name === "bubblewrap" && (await canHoldDisk()) && (await mountIn(folder, megabytes));
  return {
    folder,
    room,
    ...(isHeld ? { volume: room } : {}),
    [Symbol.asyncDispose]: () => removeOwnFolder(folder),
  };
}

let held: Promise<boolean> | undefined;

/** Whether such a file system can be mounted here, tried once. It needs root, a loop device and mkfs.ext4. */
export function canHoldDisk(): Promise<boolean> {
  held ??= tryOnce();
  return held;
}

async function tryOnce(): Promise<boolean> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = await makeOwnFolder("disk");
  await mkdir(roomIn(folder));
  try {
    return await mountIn(folder, 1);
  } finally {
    await removeOwnFolder(folder);
  }
}

async function mountIn(folder: string, megabytes: number): Promise<boolean> {
  const image = join(folder, "image");
  // slightly above the watch's own limit, so that the watch can report it
  const bytes = (Math.ceil(megabytes * 1.25) + 16) * 1024 * 1024;
  try {
    await writeFile(image, "");
    await truncate(image, bytes);
    const files = ["-N", String(Math.ceil(bytes / bytesOfFile)), "-m", "0"];
    const quick = ["-O", "^has_journal", "-E", "lazy_itable_init=1,nodiscard"];
    await run("mkfs.ext4", ["-q", "-F", ...quick, ...files, image], { env });
    // it needn't survive a crash, so we don't wait for the disk
    const options = "loop,nodev,nosuid,noatime,nobarrier";
    await run("mount", ["-t", "ext4", "-o", options, image, roomIn(folder)], { env });
    return true;
  } catch {
    return false;
  } finally {
    // the mount keeps it until it ends
    await rm(image, { force: true });
  }
}

const run = promisify(execFile);
const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
