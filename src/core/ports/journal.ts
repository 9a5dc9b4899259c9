import type { JsonObject } from "../json.ts";

/**
 * - `intent`: a call is about to be made, with its worst-case cost
 * - `result`: its complete answer, with what it cost; the first one recorded for a key wins
 * - `duplicate`: a later answer for a key that has a result: paid, not used
 * - `failure`: the call failed; `booked` is zero when the provider surely did not charge
 * - `metered`: one call inside a unit (its key is its own), with what it cost; the unit's result only repeats it
 * - `use`: this run read a result that another run bought, and relies on it from here on
 * - `event`: one line of the run's event log
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
  /** 1, 2, 3, … over the whole journal, without gaps but for those that `runs gc` leaves in a shared one. */
  readonly seq: number;
}

export interface ReadFilter {
  readonly run?: string;
  readonly kinds?: readonly EntryKind[];
  readonly names?: readonly string[];
  /** Only entries with a larger number. */
  readonly after?: number;
}

export interface Lock {
  release(): Promise<void>;
}

/** The one place where finished work is kept. Adapters pass `testJournal` of `whetstone/testing`. */
export interface Journal {
  /** The result recorded for a key. Throws `journal-damaged` when its row does not match its checksum. */
  get(key: string): Promise<Entry | undefined>;
  /**
   * Resolves once the entry is durable. All writes of one event-loop turn are one transaction. A `result`
   * whose key already has one is stored as `duplicate`, and the promise gives the first result. Throws a `TypeError`
   * for what is no entry (`assertStorable` does), and `journal-write` once the journal is closed.
   */
  write(entry: NewEntry): Promise<Entry>;
  /** Entries in the order of their numbers. Every row read is checked. */
  read(filter?: ReadFilter): AsyncIterable<Entry>;
  /** The exclusive right to continue a run, refused (`run-locked`) while another process holds it. Checks every row first. */
  lock(run: string): Promise<Lock>;
  /** Waits for what is being written, and releases the locks. */
  close(): Promise<void>;
}
