import { type JournalPlace, openJournal } from "../../adapters/journals/open-journal.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { readSides } from "../../core/measure/claim-log.ts";
import type { Sides } from "../../core/tasks/split.ts";

/** A journal to read from; undefined where none has been begun. */
export async function openIfThere(place: JournalPlace): Promise<Journal | undefined> {
  try {
    return await openJournal(place, { readOnly: true });
  } catch (error) {
    if (error instanceof WhetstoneError && error.code === "not-found") return undefined;
    throw error;
  }
}

/** On which sides the journal has seen tasks, as far as there is one. */
export async function readSidesAt(place: JournalPlace): Promise<Sides> {
  const journal = await openIfThere(place);
  try {
    return journal === undefined ? new Map() : await readSides(journal);
  } finally {
    await journal?.close();
  }
}
