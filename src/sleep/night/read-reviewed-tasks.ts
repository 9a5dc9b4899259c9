import { readPlainText } from "../../adapters/read-plain-file.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { readTaskRows } from "../memory/tasks-file.ts";
import { findDocuments } from "./find-documents.ts";
import { type GatherInput, type Gathered, placesOf } from "./gather.ts";

/** Tasks that a person has read and stands behind take the place of conversations; secrets are looked for here too. */
export async function readReviewedTasks(
  path: string,
  { place, consent, state: { harvested }, redactor }: GatherInput,
): Promise<Gathered> {
  const text = await readPlainText(path).catch((cause: unknown) => {
    throw new WhetstoneError("not-found", `${path} cannot be read.`, { cause, hint: "Correct the path." });
  });
  const tasks = readTaskRows((await redactor.redact(text)).text, path);
  const { documents, notes } = await findDocuments(
    tasks.flatMap(({ skill }) => (skill === undefined ? [] : [skill])),
    [],
    placesOf(place, consent),
  );
  return { conversations: [], tasks, documents, notes, harvested, left: 0, older: 0, skipped: [] };
}
