import { readFileSync, readdirSync, readlinkSync, statSync, statfsSync } from "node:fs";
import type { BoxLoad } from "./watch-limits.ts";

/**
 * Counts the processes in a PID namespace and their memory through the namespace's own /proc, so that no other
 * processes are inspected. `init` is its first process, as numbered on the host.
 */
export function lookIntoBox(init: number, processLimit: number, memoryLimitMb: number): BoxLoad | undefined {
  const proc = `/proc/${init}/root/proc`;
  let pids: string[];
  try {
    // until the box has its own /proc, this one is the host's, with every process in it
    if (readlinkSync(`${proc}/1/ns/pid`) !== readlinkSync(`/proc/${init}/ns/pid`)) return undefined;
    pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  // we don't count a fork bomb to its end
  if (pids.length > processLimit) return { processes: pids.length };
  const quick = sumKb(pids, (pid) => kbOf(`${proc}/${pid}/status`, /^Rss(?:Anon|Shmem):\s+(\d+)/gm));
  // only the slow way counts shared pages once, so we use it when it matters
  const kb =
    quick > memoryLimitMb * 1024
      ? sumKb(pids, (pid) => kbOf(`${proc}/${pid}/smaps_rollup`, /^Pss_(?:Anon|Shmem):\s+(\d+)/gm))
      : quick;
  return {
    processes: pids.length,
    memoryMb: kb / 1024,
    unnamedBytes: () => unnamedBytes(proc, pids),
    temporaryFiles: Math.max(...temporary.map((path) => fileCount(`/proc/${init}/root${path}`))),
  };
}

const temporary = ["/tmp", "/dev/shm"];

/** The size of an in-memory file system. One without a limit doesn't count. */
function fileCount(folder: string): number {
  try {
    const { files, ffree } = statfsSync(folder);
    return files - ffree;
  } catch {
    return 0;
  }
}

const sumKb = (pids: readonly string[], measure: (pid: string) => number): number =>
  pids.reduce((sum, pid) => sum + measure(pid), 0);

function kbOf(file: string, pattern: RegExp): number {
  try {
    return [...readFileSync(file, "utf8").matchAll(pattern)].reduce((sum, [, kb]) => sum + Number(kb), 0);
  } catch {
    return 0;
  }
}

function unnamedBytes(proc: string, pids: readonly string[]): number {
  const sizes = new Map<string, number>();
  for (const pid of pids) {
    for (const fd of entries(`${proc}/${pid}/fd`)) {
      try {
        const link = `${proc}/${pid}/fd/${fd}`;
        if (!readlinkSync(link).endsWith(" (deleted)")) continue;
        const { dev, ino, blocks } = statSync(link);
        sizes.set(`${dev}:${ino}`, blocks * 512);
      } catch {
        // closed between two looks
      }
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
