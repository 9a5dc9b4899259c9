import { execFile } from "node:child_process";
import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Sandbox } from "../../core/ports/sandbox.ts";
import { makeOwnFolder, removeOwnFolder, roomIn } from "./own-folder.ts";
import { bytesOfFile } from "./watch-limits.ts";

/** The folders of one box. */
export interface OwnVolume extends AsyncDisposable {
  /** For what the box does not write. */
  readonly folder: string;
  /** For what it writes. */
  readonly room: string;
  /** The same folder, when the kernel lets it grow no further than it may. */
  readonly volume?: string;
}

/**
 * A temporary folder with room for so many megabytes of a box's files. Where one can be had it is a file system of its own,
 * whose size counts everything: also files without a name that only a message in flight still holds.
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

/** Whether such a file system can be had here, tried once: it takes root, a loop device and mkfs.ext4. */
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
  // a little above the watch's own limit, so that it can say that this one was met
  const bytes = (Math.ceil(megabytes * 1.25) + 16) * 1024 * 1024;
  try {
    await writeFile(image, "");
    await truncate(image, bytes);
    const files = ["-N", String(Math.ceil(bytes / bytesOfFile)), "-m", "0"];
    const quick = ["-O", "^has_journal", "-E", "lazy_itable_init=1,nodiscard"];
    await run("mkfs.ext4", ["-q", "-F", ...quick, ...files, image], { env });
    // nothing of it outlives a crash, so nothing need be waited for on the disk
    const options = "loop,nodev,nosuid,noatime,nobarrier";
    await run("mount", ["-t", "ext4", "-o", options, image, roomIn(folder)], { env });
    return true;
  } catch {
    return false;
  } finally {
    // the mount keeps it until its own end
    await rm(image, { force: true });
  }
}

const run = promisify(execFile);
const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
