import type { Entry } from "../../core/ports/journal.ts";

export interface ResultsInUse {
  /** A result that was just given to somebody. */
  note(entry: Entry): void;
  /** The result that was given for a key, as long as anybody in this process has it in hand. */
  find(key: string): Entry | undefined;
  /** Its use is recorded: from here on the journal keeps it. */
  forget(key: string): void;
}

/**
 * What a run has looked up and not yet recorded as used could be dropped under it. Costs no memory of its own: whoever relies
 * on a result has it in hand.
 */
export function resultsInUse(isOwn: (run: string) => boolean): ResultsInUse {
  const byKey = new Map<string, WeakRef<Entry>>();
  const ended = new FinalizationRegistry<string>((key) => {
    if (find(key) === undefined) byKey.delete(key);
  });
  const find = (key: string): Entry | undefined => byKey.get(key)?.deref();

  return {
    note(entry) {
      if (isOwn(entry.run) || find(entry.key) !== undefined) return;
      byKey.set(entry.key, new WeakRef(entry));
      ended.register(entry, entry.key);
    },
    find,
    forget: (key) => void byKey.delete(key),
  };
}
