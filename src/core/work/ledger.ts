import type { Entry, EntryKind } from "../ports/journal.ts";
import { type Cost, addCost, noCost, readCost } from "../cost.ts";

/** The spending of a run. */
export interface Ledger {
  /** The total booked for results, duplicates, failures that may have been charged, and lost calls. */
  readonly spent: Cost;
  /** Results that this run bought. */
  readonly results: number;
  /** Calls that started but have no known end because the process died, booked at their maximum cost. */
  readonly lost: number;
}

/**
 * Computes a run's spending from its journal entries alone. An unknown outcome counts at its maximum cost.
 *
 * @example
 * const journal = await openJournal({ journalDir: "./journal" }, { readOnly: true });
 * const { spent } = await readLedger(journal.read({ run: "17303ff32fd06f87" }));
 * console.log(spent.calls);
 */
export async function readLedger(entries: AsyncIterable<Entry>): Promise<Ledger> {
  let spent = noCost;
  let results = 0;
  const open = new Map<string, Cost[]>();
  for await (const entry of entries) {
    if (entry.kind === "intent") {
      const began = open.get(entry.key) ?? [];
      began.push(readCost(entry.body["worst"]));
      open.set(entry.key, began);
      continue;
    }
    if (!closing.has(entry.kind)) continue;
    const began = open.get(entry.key);
    began?.shift();
    if (began?.length === 0) open.delete(entry.key);
    if (entry.kind === "result") results += 1;
    // calls inside such a unit are booked one by one
    if (entry.body["metered"] === true) continue;
    spent = addCost(spent, readCost(entry.body["cost"]));
  }
  const lost = [...open.values()].flat();
  return { spent: lost.reduce(addCost, spent), results, lost: lost.length };
}

const closing: ReadonlySet<EntryKind> = new Set(["result", "duplicate", "failure", "metered"]);
