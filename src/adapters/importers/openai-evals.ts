import type { JsonObject } from "../../core/json.ts";
import { readConversation } from "./conversation.ts";
import type { Importer, Notes } from "./imported.ts";
import { asText, isEmpty, isList, recordsOf, tasksInvalid, rowId, without } from "./shape.ts";

/** OpenAI evals samples: `{ input: messages | text, ideal: text | texts }`. The file doesn't name the grading class. */
export const readOpenaiEvals: Importer = async ({ path, data, idPrefix, notes }) =>
  recordsOf(data, path).map((row, at) => {
    const id = rowId(row["id"], `${idPrefix}sample-${at + 1}`);
    const asked = readConversation(row["input"]);
    const metadata = without(row, ["id", "input", "ideal"]);
    if ("problem" in asked) {
      if (row["input"] === undefined)
        throw tasksInvalid(`${path}, row ${at + 1} has no "input".`, "Fix the row, or remove it.");
      return { id, input: JSON.stringify(row["input"]), checks: [notes.refuse(id, asked.problem)] };
    }
    if (asked.turns > 1) notes.understand("several turns → one question with a transcript");
    return {
      id,
      input: asked.input,
      system: asked.system,
      ...readIdeal(row, id, notes),
      ...(isEmpty(metadata) ? {} : { metadata }),
    };
  });

function readIdeal(row: JsonObject, id: string, notes: Notes): JsonObject {
  const { ideal } = row;
  const answers = (isList(ideal) ? ideal : [ideal]).map(asText);
  if (ideal === undefined) {
    const others = Object.keys(without(row, ["id", "input"]));
    const what =
      others.length === 0 ? 'no "ideal"' : `no "ideal"; a model grades it from ${others.join(", ")}`;
    return { checks: [{ ...notes.refuse(id, what) }] };
  }
  const texts = answers.filter((answer) => answer !== undefined && answer !== "");
  if (texts.length === 0 || texts.length < answers.length)
    return { checks: [{ ...notes.refuse(id, '"ideal" is no text and no list of texts') }] };
  notes.understand("ideal → answers (the same text after normalising; partial credit by words)");
  return { answers: texts as readonly string[] };
}
