import type { Json, JsonObject } from "../../core/json.ts";
import type { Importer, Notes, TaskRow } from "./imported.ts";
import { checkColumns } from "./parse-source.ts";
import { asText, isEmpty, isList, recordsOf, tasksInvalid, rowId, without } from "./shape.ts";

const questionNames = ["input", "question", "prompt", "query"];
const answerNames = ["answer", "answers", "expected", "expected_output", "ideal", "target"];
const plainNames = ["system", "reference", "type", "group"];
const knownNames = new Set(["id", "checks", "weight", ...questionNames, ...answerNames, ...plainNames]);

/**
 * A table with a question column (input, question, prompt, query) and an answer column (answer, answers, expected,
 * ideal, target) or `checks` as JSON. Optional: id, system, reference, type, group and weight. Case doesn't matter.
 * All other columns become metadata.
 */
export const readCsvRows: Importer = async ({ path, data, idPrefix, notes }) => {
  const given = recordsOf(data, path);
  // a row may be shorter than others
  const named = [...new Set(given.flatMap((row) => Object.keys(row)))];
  const columns = checkColumns(named.map(foldName), path);
  const rows = given.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [foldName(name), value])),
  );
  const question = only(columns, questionNames, path, "question");
  const answer = only(columns, answerNames, path, "answer");
  if (question === undefined && rows.length > 0)
    throw tasksInvalid(
      `${path} has no question column; its columns are ${columns.join(", ")}.`,
      `Rename one of them to ${questionNames.join(" or ")}.`,
    );
  return rows.map((row, at) =>
    readRow(row, question ?? "", answer, rowId(row["id"], `${idPrefix}row-${at + 1}`), notes),
  );
};

function foldName(name: string): string {
  const folded = name.toLowerCase();
  return knownNames.has(folded) ? folded : name;
}

function only(
  columns: readonly string[],
  names: readonly string[],
  path: string,
  what: string,
): string | undefined {
  const found = columns.filter((column) => names.includes(column));
  if (found.length > 1)
    throw tasksInvalid(
      `${path} has ${found.length} ${what} columns: ${found.join(", ")}.`,
      "Keep one of them.",
    );
  return found[0];
}

function readRow(
  row: JsonObject,
  question: string,
  answer: string | undefined,
  id: string,
  notes: Notes,
): TaskRow {
  const filled: JsonObject = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ""));
  const metadata = without(filled, ["id", question, answer ?? "", "checks", "weight", ...plainNames]);
  const plain = plainNames.flatMap((name) => (filled[name] === undefined ? [] : [[name, filled[name]]]));
  const weight = filled["weight"] === undefined ? undefined : Number(filled["weight"]);
  return {
    id,
    input: filled[question] ?? "",
    ...Object.fromEntries(plain),
    ...(weight === undefined ? {} : { weight }),
    ...readScoring(filled, answer, id, notes),
    ...(isEmpty(metadata) ? {} : { metadata }),
  };
}

function readScoring(row: JsonObject, answer: string | undefined, id: string, notes: Notes): TaskRow {
  if (row["checks"] !== undefined) {
    const checks = readList(row["checks"]);
    if (checks === undefined) return { checks: [notes.refuse(id, '"checks" is no JSON list')] };
    notes.understand("checks → checks");
    return { checks };
  }
  const cell = answer === undefined ? undefined : asText(row[answer]);
  if (answer === undefined || cell === undefined || cell.trim() === "")
    return { checks: [notes.refuse(id, "no answer")] };
  const listed = answer === "answers" ? (readList(cell)?.map(asText) ?? cell.split("|")) : [cell];
  const answers = listed.flatMap((text) => (text === undefined || text.trim() === "" ? [] : [text.trim()]));
  if (answers.length < listed.length)
    return { checks: [notes.refuse(id, `the column "${answer}" contains an answer that isn't text`)] };
  notes.understand(`${answer} → answers`);
  return { answers };
}

function readList(cell: Json): readonly Json[] | undefined {
  try {
    const list = typeof cell === "string" ? (JSON.parse(cell) as Json) : cell;
    return isList(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
