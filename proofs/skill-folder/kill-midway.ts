import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedServer } from "../../src/testing/index.ts";
import { readJournalState } from "../support/kill-journal.ts";
import { processesWith } from "../support/processes-with.ts";

export interface Death {
  /** Model calls until then, by unit. */
  readonly calls: ReadonlyMap<string, number>;
  /** Units whose results were in the journal. */
  readonly kept: ReadonlySet<string>;
  /** Units that had been asked for and had none. */
  readonly inFlight: ReadonlySet<string>;
  /** Processes in whose command line the folder still stands, seconds later. */
  readonly leftRunning: number;
}

/** Kills the training once the server has had so many calls. Undefined when it ended before. */
export async function killMidway(
  train: (onStart: (child: ChildProcess) => void) => Promise<{ readonly code: number | null }>,
  place: { readonly server: ScriptedServer; readonly journalDir: string; readonly folder: string },
  atCall: number,
): Promise<Death | undefined> {
  const { server, journalDir, folder } = place;
  let watch: NodeJS.Timeout | undefined;
  const { code } = await train((child) => {
    watch = setInterval(() => {
      if (server.callCount >= atCall) child.kill("SIGKILL");
    }, 5);
  });
  clearInterval(watch);
  if (code !== null) return undefined;
  for (let tries = 0; tries < 50 && processesWith(folder) > 0; tries += 1) await sleep(100);
  const calls = callsByUnit(server);
  const { results: kept } = await readJournalState(journalDir);
  const inFlight = new Set([...calls.keys()].filter((unit) => !kept.has(unit)));
  return { calls, kept, inFlight, leftRunning: processesWith(folder) };
}

/** What was asked for again after the death: units in flight may be, and no other. */
export function settleDeath({ calls, kept, inFlight }: Death, server: ScriptedServer) {
  const now = callsByUnit(server);
  const again = [...calls.keys()].filter((unit) => (now.get(unit) ?? 0) > (calls.get(unit) ?? 0));
  return {
    units: now.size,
    repeated: again.filter((unit) => inFlight.has(unit)).length,
    boughtTwice: again.filter((unit) => kept.has(unit)).length,
  };
}

/** An agent's calls carry the key of their unit and a number. */
function callsByUnit({ callsByKey }: ScriptedServer): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const [key, times] of callsByKey) {
    const unit = key.replace(/:\d+$/, "");
    calls.set(unit, (calls.get(unit) ?? 0) + times);
  }
  return calls;
}
