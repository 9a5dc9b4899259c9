import { type Entry, type Journal, WhetstoneError, assertStorable, matchesFilter } from "whetstone/ports";

/** What a journal keeps; another handle on the same store is another process's journal. */
export interface Store {
  readonly entries: Entry[];
  readonly results: Map<string, Entry>;
  readonly locks: Set<string>;
}

export const newStore = (): Store => ({ entries: [], results: new Map(), locks: new Set() });

/** A journal of our own. It keeps everything in memory. */
export function myJournal({ entries, results, locks }: Store): Journal {
  const held = new Set<string>();
  let isClosed = false;
  return {
    get: async (key) => structuredClone(results.get(key)),
    async write(entry) {
      assertStorable(entry);
      if (isClosed)
        throw new WhetstoneError("journal-write", "The journal is closed.", { hint: "Open it again." });
      const copy = structuredClone(entry);
      const first = entry.kind === "result" ? results.get(entry.key) : undefined;
      const written: Entry = {
        ...copy,
        kind: first === undefined ? copy.kind : "duplicate",
        seq: entries.length + 1,
      };
      entries.push(written);
      if (written.kind === "result") results.set(written.key, written);
      return structuredClone(first ?? written);
    },
    async *read(filter = {}) {
      for (const entry of entries) if (matchesFilter(entry, filter)) yield structuredClone(entry);
    },
    async lock(run) {
      if (locks.has(run))
        throw new WhetstoneError("run-locked", `Run ${run} goes on elsewhere.`, { hint: "Wait for it." });
      locks.add(run);
      held.add(run);
      return {
        async release() {
          locks.delete(run);
          held.delete(run);
        },
      };
    },
    async close() {
      isClosed = true;
      for (const run of held) locks.delete(run);
      held.clear();
    },
  };
}
