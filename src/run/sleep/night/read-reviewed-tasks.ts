import { readPlainText } from "../../../adapters/read-plain-file.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { Redactor } from "../../../core/ports/redactor.ts";
import { readTaskRows } from "../../../core/sleep/memory/tasks-file.ts";
import { findDocuments } from "./find-documents.ts";
import { type Gathered, placesOf } from "./pin-night.ts";
import type { SleepPlace } from "../place.ts";
import type { SleepState } from "../state.ts";

/** Tasks that a person has read and stands behind take the place of conversations; secrets are looked for here too. */
export async function readReviewedTasks(
  path: string,
  place: SleepPlace,
  { cursors }: SleepState,
  redactor: Redactor,
): Promise<Gathered> {
  const text = await readPlainText(path).catch((cause: unknown) => {
    throw new WhetstoneError("not-found", `${path} cannot be read.`, { cause, hint: "Correct the path." });
  });
  const tasks = readTaskRows((await redactor.redact(text)).text, path);
  const { documents, notes } = await findDocuments(
    tasks.flatMap(({ skill }) => (skill === undefined ? [] : [skill])),
    [],
    placesOf(place),
  );
  return { conversations: [], tasks, documents, notes, cursors, left: 0, skipped: [] };
}
