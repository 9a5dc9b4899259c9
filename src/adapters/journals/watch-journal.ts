import { setTimeout as sleep } from "node:timers/promises";
import type { Entry, Journal, ReadFilter } from "../../core/ports/journal.ts";
import type { PostgresJournal } from "./postgres/postgres.ts";

export interface JournalWatchOptions {
  readonly signal: AbortSignal;
  /** How often a journal is asked that tells nothing by itself. */
  readonly pollMs: number;
}

/** What there is and then what other processes add, until the signal. PostgreSQL tells of it; a file is asked again and again. */
export async function* watchJournal(
  journal: Journal,
  filter: ReadFilter,
  { signal, pollMs }: JournalWatchOptions,
): AsyncGenerator<Entry> {
  if (tellsNews(journal)) {
    yield* journal.watch(filter, signal);
    return;
  }
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

const tellsNews = (journal: Journal): journal is PostgresJournal => "watch" in journal;
