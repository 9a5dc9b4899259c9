import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import type { Importer, Notes, TaskRow } from "./imported.ts";
import { asText, isFilled, isList, recordsOf, rowId, tasksInvalid, without } from "./shape.ts";

/** SkillOpt's full splits: `{ id, question, context?, answers }` or `{ id, question, choices, correct_choice }`. */
export const readSkillOptRows: Importer = async ({ path, data, idPrefix, notes }) =>
  recordsOf(data, path).map((row, at) => {
    if (!isFilled(row["question"])) throw notMaterialised(row, `${path}, row ${at + 1}`);
    return readRow(row, row["question"], rowId(row["id"], `${idPrefix}row-${at + 1}`), notes);
  });

const fields = ["id", "question", "context", "answers", "choices", "correct_choice"];

function readRow(row: JsonObject, question: string, id: string, notes: Notes): TaskRow {
  const others = without(row, fields);
  const kept = Object.keys(others).length === 0 ? {} : { metadata: others };
  if (row["choices"] !== undefined) return { id, ...readChoices(row, question, id, notes), ...kept };
  const context = asText(row["context"]) ?? "";
  const answers = (isList(row["answers"]) ? row["answers"] : [row["answers"]]).map(asText).filter(isFilled);
  if (context.length > longestContext)
    notes.ignore(id, "the end of a context of more than 6,000 characters, which SkillOpt also cuts off");
  notes.understand("question, context and answers → asks for just the answer, without <answer> tags");
  return {
    id,
    input: [
      ...(context === "" ? [] : [`## Context\n${cutContext(context)}`]),
      `## Question\n${question}`,
    ].join("\n\n"),
    system: "Reply with the answer alone: a few words, no sentence around them.",
    ...(answers.length === 0 ? { checks: [notes.refuse(id, "no answers")] } : { answers }),
    ...kept,
  };
}

const longestContext = 6000;

/** Cut at the end of a document, as the original does. */
function cutContext(context: string): string {
  if (context.length <= longestContext) return context;
  let kept = "";
  for (const [at, part] of context.split("[DOC]").entries()) {
    const longer = at === 0 ? part : `${kept}[DOC]${part}`;
    if (longer.length > longestContext) break;
    kept = longer;
  }
  return kept === "" ? `${context.slice(0, longestContext)}\n...[truncated]` : kept;
}

function readChoices(row: JsonObject, question: string, id: string, notes: Notes): TaskRow {
  const { correct_choice: correct } = row;
  const choices = choicesOf(row["choices"]);
  const label = labelOf(isJsonObject(correct) ? correct["label"] : correct);
  const at = choices.findIndex((choice) => choice.label === label);
  if (choices.length < 2 || choices.length > 26 || at < 0)
    return { input: question, checks: [notes.refuse(id, "choices without a right one")] };
  notes.understand("choices and correct_choice → the letter of the right choice");
  const written = choices.map(({ text }, nth) => `${letter(nth)}) ${text}`).join("\n");
  const system = "Answer with the letter of the right choice alone.";
  return { input: `${question}\n\n${written}`, system, answers: [letter(at)] };
}

const letter = (at: number): string => String.fromCharCode(65 + at);

const labelOf = (label: Json | undefined): string =>
  (asText(label) ?? "")
    .trim()
    .toUpperCase()
    .replace(/[.):]+$/, "");

function choicesOf(given: Json | undefined): readonly { readonly label: string; readonly text: string }[] {
  const list = isList(given)
    ? given
    : Object.entries(isJsonObject(given) ? given : {}).map(([label, text]) => ({
        label,
        text: text ?? null,
      }));
  return list.flatMap((item, at) => {
    const fallback = letter(at);
    const { label, text } = isJsonObject(item) ? item : { label: fallback, text: item };
    const said = asText(text);
    return said === undefined || said === "" ? [] : [{ label: labelOf(label) || fallback, text: said }];
  });
}

/** The repository only has lists of ids; the items they refer to are downloaded. */
const notMaterialised = (row: JsonObject, place: string) =>
  Object.keys(row).length <= 1
    ? tasksInvalid(
        `${place} has an id but no question: these are SkillOpt's lists of ids.`,
        "Make runnable splits of them first, with SkillOpt's scripts/materialize_searchqa.py or a similar script.",
      )
    : tasksInvalid(
        `${place} has no "question".`,
        "Only rows with a question can be read. Spreadsheets, games and pictures need their own environment (examples/benchmarks).",
      );
