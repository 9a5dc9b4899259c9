import type { Disk } from "./disk-journal.ts";
import type { VirtualProcess } from "./virtual-time.ts";

/** A disk that outlives the processes that use it, and forgets what was not synced when one of them dies. */
export interface SimulatedDisk {
  /** The disk as one process sees it. A dead process changes nothing any more. */
  mount(process: VirtualProcess): Disk;
  /** Of what was not synced, a part stays: often a beginning, sometimes with holes, the last line perhaps torn. */
  crash(): void;
  /** What a process would find now. */
  lines(): readonly string[];
  /** Syncs that failed so far. */
  readonly failures: number;
}

export interface SimulatedDiskOptions {
  readonly random: () => number;
  /** The longest time that a sync takes. @default 20 */
  readonly maxSyncMs?: number;
  /** The share of syncs that fail, with their lines in doubt; asked before each. @default none */
  readonly failRate?: () => number;
}

/**
 * A disk in virtual time; `crash` is what a power cut does to it.
 *
 * @example
 * const time = virtualTime(Math.random);
 * const disk = simulatedDisk({ random: Math.random, maxSyncMs: 5 });
 * disk.mount(time.startProcess()).append(["a line"]);
 * disk.crash();
 */
export function simulatedDisk(options: SimulatedDiskOptions): SimulatedDisk {
  const { random, maxSyncMs = 20, failRate = () => 0 } = options;
  const synced: string[] = [];
  let unsynced: string[] = [];
  let failures = 0;

  function mount(process: VirtualProcess): Disk {
    return {
      append: (lines) => void (process.isAlive && unsynced.push(...lines)),
      sync: () =>
        new Promise((resolve, reject) => {
          // what comes while the disk is busy belongs to the next sync
          const count = unsynced.length;
          const fails = random() < failRate();
          process.after(random() * maxSyncMs, fails ? "sync fails" : "sync", () => {
            if (fails) {
              failures += 1;
              return reject(new Error("EIO: the disk did not answer"));
            }
            synced.push(...unsynced.splice(0, count));
            resolve();
          });
        }),
      lines: () => [...synced, ...unsynced],
    };
  }

  function crash(): void {
    const hasHoles = random() < 0.2;
    const kept = unsynced.slice(0, Math.floor(random() * (unsynced.length + 1)));
    const survivors = hasHoles ? kept.filter(() => random() < 0.7) : kept;
    const torn = unsynced[kept.length];
    if (torn !== undefined && random() < 0.3)
      survivors.push(torn.slice(0, Math.floor(random() * torn.length)));
    synced.push(...survivors);
    unsynced = [];
  }

  return {
    mount,
    crash,
    lines: () => [...synced, ...unsynced],
    get failures() {
      return failures;
    },
  };
}
