import { type JournalPlace, openJournal } from "../../adapters/journals/open-journal.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { readSides } from "../../core/measure/claim-log.ts";
import type { Sides } from "../../core/tasks/split.ts";

/** A journal to read from; undefined if none exists yet. */
export async function openIfThere(place: JournalPlace): Promise<Journal | undefined> {
  try {
    return await openJournal(place, { readOnly: true });
  } catch (error) {
    if (error instanceof WhetstoneError && error.code === "not-found") return undefined;
    throw error;
  }
}

/** Opens the journal for `read`, and closes it afterwards, even after an error. */
export async function withJournal<T>(
  place: JournalPlace,
  read: (journal: Journal | undefined) => Promise<T>,
): Promise<T> {
  const journal = await openIfThere(place);
  try {
    return await read(journal);
  } finally {
    await journal?.close();
  }
}

/** The splits in which the journal has seen tasks; empty without a journal. */
export const readSidesAt = (place: JournalPlace): Promise<Sides> =>
  withJournal(place, async (journal) => (journal === undefined ? new Map() : readSides(journal)));
