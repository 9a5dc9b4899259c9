import type { JsonObject } from "../json.ts";

/**
 * - `intent`: A call is about to be made, with its maximum cost.
 * - `result`: Its complete answer, with its cost. The first one recorded for a key wins.
 * - `duplicate`: A later answer for a key that already has a result: paid, but not used.
 * - `failure`: The call failed. `booked` is zero if the provider certainly didn't charge.
 * - `metered`: One call inside a unit, with a key and cost of its own. The unit's result only repeats the cost.
 * - `use`: This run read a result that another run bought, and relies on it from here on.
 * - `event`: One line of the run's event log.
 */
export type EntryKind = "intent" | "result" | "duplicate" | "failure" | "use" | "event" | "metered";

export interface NewEntry {
  readonly kind: EntryKind;
  readonly run: string;
  /** The unit's key, 64 hex digits; empty for events. */
  readonly key: string;
  /** The event's type; empty for the other kinds. */
  readonly name: string;
  readonly body: JsonObject;
}

export interface Entry extends NewEntry {
  /** 1, 2, 3, … over the whole journal. Only `runs gc` leaves gaps, in a shared journal. */
  readonly seq: number;
}

export interface ReadFilter {
  readonly run?: string;
  readonly kinds?: readonly EntryKind[];
  readonly names?: readonly string[];
  /** Return only entries with a larger number. */
  readonly after?: number;
}

export interface Lock {
  release(): Promise<void>;
}

/** The one place where finished work is kept. Adapters must pass `testJournal` from `whetstone/testing`. */
export interface Journal {
  /** The result recorded for a key. Throws `journal-damaged` if its row doesn't match its checksum. */
  get(key: string): Promise<Entry | undefined>;
  /**
   * Resolves once the entry is durable. All writes of one event-loop turn are one transaction. A `result`
   * whose key already has one is stored as `duplicate`, and the promise gives the first result. Throws a `TypeError`
   * for an invalid entry (`assertStorable` checks it), and `journal-write` once the journal is closed.
   */
  write(entry: NewEntry): Promise<Entry>;
  /** Entries in order of their numbers. Every row is checked as it's read. */
  read(filter?: ReadFilter): AsyncIterable<Entry>;
  /** Locks a run for this process, or throws `run-locked` while another process has the lock. Checks every row first. */
  lock(run: string): Promise<Lock>;
  /** Waits for pending writes, and releases the locks. */
  close(): Promise<void>;
}
