import { statfsSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxJob, SandboxResult } from "../../core/ports/sandbox.ts";

/** A box's usage at this moment. */
export interface BoxLoad {
  readonly processes: number;
  /** Undefined if counting processes was enough. */
  readonly memoryMb?: number;
  /** Whether the kernel killed something for memory. */
  readonly overdrawn?: boolean;
  /** Bytes of files that have been deleted but are still open. */
  readonly unnamedBytes?: () => number;
  /** In folders that only the box sees. */
  readonly temporaryFiles?: number;
}

type Limit = Extract<SandboxResult["ended"], "memory" | "processes" | "disk">;

export interface Watch {
  /** Whether the folders are larger than allowed, checked now. */
  overfull(): Promise<boolean>;
  stop(): void;
}

/** Checks a box repeatedly and reports which limit it exceeded. */
export function watchLimits(
  look: () => BoxLoad | undefined | Promise<BoxLoad | undefined>,
  { workspace, home, volume, limits }: SandboxJob,
  everyMs: number,
  onLimit: (limit: Limit) => void,
): Watch {
  const folders = home === undefined ? [workspace] : [workspace, home];
  const most = limits.diskMb * 1024 * 1024;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let measuredFree = freeBytes(workspace);
  let nextWalkAt = performance.now() + firstWalkMs;

  const findPassed = async (): Promise<Limit | undefined> => {
    const load = await look();
    if (load !== undefined && load.processes > limits.processes) return "processes";
    if ((load?.memoryMb ?? 0) > limits.memoryMb || load?.overdrawn === true) return "memory";
    if ((load?.temporaryFiles ?? 0) * bytesOfFile > most) return "disk";
    if (volume !== undefined) return volumeBytes(volume) > most ? "disk" : undefined;
    const now = performance.now();
    // whole trees are rarely walked, unless the disk is filling up
    const filled = measuredFree - freeBytes(workspace) > most / 4;
    if (now >= nextWalkAt || filled) {
      measuredFree = freeBytes(workspace);
      const size = (await folderBytes(folders, most)) + (load?.unnamedBytes?.() ?? 0);
      if (size > most) return "disk";
      nextWalkAt = performance.now() + Math.max(firstWalkMs, 20 * (performance.now() - now));
    }
    return undefined;
  };
  const tick = async (): Promise<void> => {
    // a failed check must not be the last one
    const passed = await findPassed().catch(() => undefined);
    if (stopped) return;
    if (passed === undefined) timer = setTimeout(() => void tick(), everyMs);
    else onLimit(passed);
  };
  timer = setTimeout(() => void tick(), Math.min(everyMs, 50));

  const free = measuredFree;
  return {
    overfull: async () => {
      if (volume !== undefined) return volumeBytes(volume) > most;
      return free - freeBytes(workspace) > most / 4 && (await folderBytes(folders, most)) > most;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

const firstWalkMs = 500;

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** The size an empty file counts as, because a machine can run out of inodes too. */
export const bytesOfFile = 4096;

function volumeBytes(volume: string): number {
  const { blocks, bfree, bsize, files, ffree } = statfsSync(volume);
  return Math.max((blocks - bfree) * bsize, (files - ffree) * bytesOfFile);
}

/** The disk space the folders use. Counting stops above `enough`. */
export async function folderBytes(roots: readonly string[], enough: number): Promise<number> {
  let bytes = 0;
  const folders = [...roots];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const facts = await lstat(path).catch(() => undefined);
      bytes += Math.max((facts?.blocks ?? 0) * 512, bytesOfFile);
      if (bytes > enough) return bytes;
    }
  }
  return bytes;
}
