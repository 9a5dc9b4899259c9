import type { Importer } from "./imported.ts";
import { isEmpty, isFilled, recordsOf, tasksInvalid, rowId, without } from "./shape.ts";

/** Queries that should or should not load a skill: `[{ query, should_trigger }]`. */
export const readTriggerSet: Importer = async ({ path, data, idPrefix, notes }) =>
  recordsOf(data, path).map((row, at) => {
    const { query, should_trigger: wanted } = row;
    if (!isFilled(query))
      throw tasksInvalid(
        `${path}, row ${at + 1} has no question: "query" is missing or empty.`,
        "Write the query.",
      );
    const id = rowId(row["id"], `${idPrefix}trigger-${at + 1}`);
    const value =
      wanted === true || wanted === "true"
        ? true
        : wanted === false || wanted === "false"
          ? false
          : undefined;
    if (value !== undefined) notes.understand(`should_trigger: ${value} → trigger`);
    const metadata = without(row, ["id", "query", "should_trigger"]);
    return {
      id,
      input: query,
      checks: [
        value === undefined
          ? notes.refuse(id, '"should_trigger" is neither true nor false')
          : { kind: "trigger", value },
      ],
      ...(value === undefined ? {} : { type: value ? "should" : "should-not" }),
      ...(isEmpty(metadata) ? {} : { metadata }),
    };
  });
