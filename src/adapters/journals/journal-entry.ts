import type { Entry, EntryKind, NewEntry, ReadFilter } from "../../core/ports/journal.ts";

export const entryKinds: readonly EntryKind[] = [
  "intent",
  "result",
  "duplicate",
  "failure",
  "use",
  "event",
  "metered",
];

export const isEntryKind = (text: string): text is EntryKind => entryKinds.some((kind) => kind === text);

/**
 * Refuses entries that no journal can store and return unchanged. That's a caller's mistake, never a user's.
 *
 * @example
 * assertStorable({ kind: "event", run: "a", key: "", name: "stage-start", body: {} });
 */
export function assertStorable(entry: NewEntry): void {
  if (!isEntryKind(entry.kind)) throw new TypeError(`"${String(entry.kind)}" isn't an entry kind`);
  const isKey = entry.kind === "event" ? entry.key === "" : /^[0-9a-f]{64}$/.test(entry.key);
  if (!isKey) throw new TypeError(`"${entry.key}" isn't a valid key for an entry of kind ${entry.kind}`);
  if (!isPlainText(entry.run) || !isPlainText(entry.name)) {
    throw new TypeError("an entry's run and name must be well-formed text without NUL");
  }
}

const isPlainText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/**
 * Whether a reader with this filter wants the entry.
 *
 * @example
 * const entries: Entry[] = [];
 * console.log(entries.filter((entry) => matchesFilter(entry, { kinds: ["result"], after: 7 })));
 */
export function matchesFilter(entry: Entry, { run, kinds, names, after = 0 }: ReadFilter): boolean {
  return (
    entry.seq > after &&
    (run === undefined || entry.run === run) &&
    (kinds === undefined || kinds.includes(entry.kind)) &&
    (names === undefined || names.includes(entry.name))
  );
}
