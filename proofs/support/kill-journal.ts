import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Json, type Ledger, readLedger, sqliteJournal } from "../../src/ports.ts";
import type { ScriptedServer } from "../../src/testing/index.ts";

/** What a journal on disk holds, read by somebody else than the run. */
export interface JournalState {
  /** Keys that have a result. */
  readonly results: ReadonlySet<string>;
  readonly ledger: Ledger;
  /** What the run said at its end that it had spent. */
  readonly saidSpent: Json | undefined;
}

export async function readJournalState(dir: string): Promise<JournalState> {
  // a process that died very early has not made it yet
  if (!existsSync(join(dir, "journal.db"))) {
    const ledger = await readLedger((async function* () {})());
    return { results: new Set(), ledger, saidSpent: undefined };
  }
  const journal = await sqliteJournal({ dir, readOnly: true });
  try {
    const results = new Set<string>();
    for await (const { key } of journal.read({ kinds: ["result"] })) results.add(key);
    let saidSpent: Json | undefined;
    for await (const { body } of journal.read({ names: ["run-end"] })) saidSpent = body["cost"];
    return { results, ledger: await readLedger(journal.read()), saidSpent };
  } finally {
    await journal.close();
  }
}

/** How often the server was asked for each key since now. */
export function countCalls(server: ScriptedServer): () => ReadonlyMap<string, number> {
  const before = new Map(server.callsByKey);
  return () => {
    const since = [...server.callsByKey].map(
      ([key, times]) => [key, times - (before.get(key) ?? 0)] as const,
    );
    return new Map(since.filter(([, times]) => times > 0));
  };
}

export interface Death {
  /** Keys whose results were in the journal. */
  readonly kept: ReadonlySet<string>;
  /** Keys that the provider had been asked for and whose results were not in the journal. */
  readonly inFlight: ReadonlySet<string>;
  readonly asked: ReadonlyMap<string, number>;
}

export const describeDeath = (asked: ReadonlyMap<string, number>, { results }: JournalState): Death => ({
  kept: results,
  inFlight: new Set([...asked.keys()].filter((key) => !results.has(key))),
  asked,
});

export interface Settlement {
  readonly calls: number;
  readonly repeated: number;
  readonly violations: readonly string[];
}

/** Nothing lost, nothing asked for twice without a death in between, and every call booked. */
export function settleCalls(
  asked: ReadonlyMap<string, number>,
  deaths: readonly Death[],
  end: JournalState,
  expected: ReadonlySet<string>,
): Settlement {
  const violations: string[] = [];
  const complain = (key: string, what: string) => violations.push(`${key.slice(0, 12)} ${what}`);
  let [calls, repeated] = [0, 0];
  for (const [key, times] of asked) {
    calls += times;
    repeated += times - 1;
    if (!expected.has(key)) complain(key, "is asked for by no uninterrupted run");
    const excused = deaths.filter(({ inFlight }) => inFlight.has(key)).length;
    if (times > 1 + excused)
      complain(key, `was asked for ${times} times and was in flight at ${excused} deaths`);
  }
  for (const { kept, asked: before } of deaths) {
    for (const key of kept) {
      if (!end.results.has(key)) complain(key, "was in the journal and is lost");
      if (before.get(key) !== asked.get(key)) complain(key, "was in the journal and was bought again");
    }
  }
  for (const key of expected) if (!end.results.has(key)) complain(key, "has no result");
  const inFlight = deaths.reduce((sum, death) => sum + death.inFlight.size, 0);
  if (repeated > inFlight) violations.push(`${repeated} calls were repeated, ${inFlight} were in flight`);
  const { spent } = end.ledger;
  if (calls > spent.calls) violations.push(`${calls} calls were made, ${spent.calls} are booked`);
  if (JSON.stringify(end.saidSpent) !== JSON.stringify(spent)) {
    violations.push(`spent ${JSON.stringify(end.saidSpent)}, the ledger sums to ${JSON.stringify(spent)}`);
  }
  return { calls, repeated, violations };
}
