import { setTimeout as sleep } from "node:timers/promises";
import type { Entry, Journal, ReadFilter } from "../../core/ports/journal.ts";

export interface JournalWatchOptions {
  readonly signal: AbortSignal;
  /** How often the journal is asked. */
  readonly pollMs: number;
}

/** What there is and then what other processes add, until the signal. */
export async function* watchJournal(
  journal: Journal,
  filter: ReadFilter,
  { signal, pollMs }: JournalWatchOptions,
): AsyncGenerator<Entry> {
  let after = filter.after ?? 0;
  while (!signal.aborted) {
    for await (const entry of journal.read({ ...filter, after })) {
      if (signal.aborted) return;
      after = entry.seq;
      yield entry;
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}
