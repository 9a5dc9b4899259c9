import type { Entry, NewEntry } from "../../core/ports/journal.ts";
import { assertStorable } from "./journal-entry.ts";
import { journalWrite } from "./journal-errors.ts";

/** An entry whose body was encoded when it was passed in, so that later changes to it don't matter. */
export interface EncodedEntry {
  readonly entry: NewEntry;
  readonly body: string;
}

export interface BatchedWritesOptions {
  /** Makes the batch durable and returns the recorded entry for each, in the same order. */
  readonly flush: (batch: readonly EncodedEntry[]) => Promise<readonly Entry[]>;
  /** Used in messages. */
  readonly place: string;
}

export interface Batches {
  /** Refuses entries that can't be stored. */
  readonly add: (entry: NewEntry) => Promise<Entry>;
  /** Flushes waiting writes. Later writes are refused. */
  close(): Promise<void>;
}

interface Batch {
  readonly entries: EncodedEntry[];
  readonly recorded: Promise<readonly Entry[]>;
}

/**
 * Gathers the writes of one event-loop turn. Flushes run one after another, and writes that arrive during one share
 * the next. After a failed flush nothing more is written.
 */
export function batchWrites({ flush, place }: BatchedWritesOptions): Batches {
  let open: Batch | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  let refusal: { readonly reason: unknown } | undefined;

  return {
    add: async (entry) => {
      assertStorable(entry);
      const encoded = { entry, body: JSON.stringify(entry.body) };
      if (refusal !== undefined) throw refusal.reason;
      open ??= startBatch();
      const { entries, recorded } = open;
      const at = entries.push(encoded) - 1;
      const kept = (await recorded)[at];
      if (kept === undefined) throw new TypeError("a flush answers for every entry");
      return kept;
    },
    close: async () => {
      await previous;
      refusal ??= { reason: journalWrite(place, "it was closed", "Open it again.") };
    },
  };

  function startBatch(): Batch {
    const entries: EncodedEntry[] = [];
    const recorded = flushInTurn(entries, previous);
    previous = recorded.catch(() => undefined);
    return { entries, recorded };
  }

  async function flushInTurn(
    entries: readonly EncodedEntry[],
    before: Promise<unknown>,
  ): Promise<readonly Entry[]> {
    await new Promise((turn) => setImmediate(turn));
    await before;
    open = undefined;
    if (refusal !== undefined) throw refusal.reason;
    try {
      return await flush(entries);
    } catch (error) {
      refusal = { reason: error };
      throw error;
    }
  }
}
