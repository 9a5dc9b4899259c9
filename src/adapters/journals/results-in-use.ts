import type { Entry } from "../../core/ports/journal.ts";

export interface ResultsInUse {
  /** A result that was just returned. */
  note(entry: Entry): void;
  /** The result returned for a key, as long as anything in this process still uses it. */
  find(key: string): Entry | undefined;
  /** Its use is recorded, so from here on the journal keeps it. */
  forget(key: string): void;
}

/**
 * A result that a run has looked up but not yet recorded as used could be dropped in between. This needs no extra
 * memory: the code that relies on a result has it anyway.
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
