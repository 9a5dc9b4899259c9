import type { Cost } from "../cost.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Entry, Journal, NewEntry, ReadFilter } from "../ports/journal.ts";

/** The part of a real journal that rehearsals read. Its results needn't be bought. */
export interface KnownJournal {
  readonly keys: ReadonlySet<string>;
  readonly journal: Pick<Journal, "get" | "read">;
}

export interface RehearsalJournal extends Journal {
  /** Whether it contains anything bought before. */
  readonly knows: boolean;
  /** Keeps a drawn result. */
  keep(key: string, output: Json, cost: Cost): void;
}

/** A journal that reads the real one, but forgets everything written to it after the rehearsal. */
export function rehearsalJournal(run: string, known: KnownJournal | undefined): RehearsalJournal {
  const drawn = new Map<string, Entry>();
  const written: Entry[] = [];
  const add = (entry: NewEntry): Entry => ({ ...entry, seq: drawn.size + written.length + 1 });
  return {
    knows: (known?.keys.size ?? 0) > 0,
    keep(key, output, cost) {
      const body = { output, cost } as unknown as JsonObject;
      drawn.set(key, add({ kind: "result", run, key, name: "", body }));
    },
    get: async (key) =>
      drawn.get(key) ?? (known?.keys.has(key) === true ? known.journal.get(key) : undefined),
    async write(entry) {
      const full = add(entry);
      written.push(full);
      return full;
    },
    async *read(filter = {}) {
      if (known !== undefined) yield* known.journal.read(filter);
      yield* written.filter((entry) => fits(entry, filter));
    },
    lock: async () => ({ release: async () => {} }),
    close: async () => {},
  };
}

const fits = ({ run, kind, name }: Entry, filter: ReadFilter): boolean =>
  (filter.run === undefined || filter.run === run) &&
  (filter.kinds?.includes(kind) ?? true) &&
  (filter.names?.includes(name) ?? true);
