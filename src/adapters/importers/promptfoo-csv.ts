import type { Json, JsonObject } from "../../core/json.ts";
import { assertTypes } from "./promptfoo-assert.ts";
import { asText } from "./shape.ts";

/** A promptfoo table row as a test: `__expected` columns are asserts, other `__` ones options, the rest variables. */
export function readTableRow(row: JsonObject): JsonObject {
  const vars: Record<string, Json> = {};
  const metadata: Record<string, Json> = {};
  const options: Record<string, Json> = {};
  const asserts: { readonly column: string; readonly assert: Record<string, Json> }[] = [];
  const test: Record<string, Json> = {};
  for (const [column, cell] of Object.entries(row)) {
    const text = asText(cell) ?? "";
    if (!column.startsWith("__")) vars[column] = cell ?? "";
    else if (text.trim() === "") continue;
    else if (/^__expected\d*$/.test(column)) asserts.push({ column, assert: readExpected(text.trim()) });
    else if (column === "__prefix" || column === "__suffix") options[column.slice(2)] = text;
    else if (column === "__description") test["description"] = text;
    else if (column === "__threshold") test["threshold"] = readNumber(text);
    else if (column.startsWith("__metadata:")) {
      const name = column.slice("__metadata:".length);
      if (name.endsWith("[]"))
        metadata[name.slice(0, -2)] = text
          .split(/(?<!\\),/)
          .map((part) => part.replaceAll("\\,", ",").trim());
      else metadata[name] = text;
    } else if (column !== "__metric" && !column.startsWith("__config:")) test[column] = text;
  }
  for (const [column, cell] of Object.entries(row)) {
    const [, target = "", key = ""] = /^__config:(__expected\d*):(\w+)$/.exec(column) ?? [];
    const text = asText(cell) ?? "";
    if (key === "" || text.trim() === "") continue;
    // `__expected` alone means all of them
    for (const { column: of, assert } of asserts)
      if (target === "__expected" || of === target) assert[key] = readNumber(text);
  }
  return { ...test, vars, metadata, options, assert: asserts.map(({ assert }) => assert) };
}

/** A value that isn't a number stays as it is, and is refused later by name. */
const readNumber = (text: string): Json =>
  text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;

/** `contains: Paris`, `not-equals:4`, `similar(0.8): hello`; text without a type must equal the answer. */
function readExpected(text: string): Record<string, Json> {
  const [, not = "", written = "", threshold, rest] =
    /^(not-)?([a-z][\w:-]*?)(?:\(([\d.]+)\))?(?::([\s\S]*))?$/.exec(text) ?? [];
  const type = aliases[written] ?? written;
  if (isType(type, rest)) {
    const value = (rest ?? "").trim();
    return {
      type: not + type,
      ...(value === "" ? {} : { value: type.endsWith("-json") ? readSchema(value) : value }),
      ...(threshold === undefined ? {} : { threshold: readNumber(threshold) }),
    };
  }
  if (/^(?:file|https?):\/\//.test(text)) return { type: text };
  // an unknown type must not hide as the text of an answer
  return rest === undefined ? { type: "equals", value: text } : { type: not + written, value: rest.trim() };
}

const isType = (type: string, rest: string | undefined): boolean =>
  assertTypes.includes(type) &&
  (rest !== undefined || type.startsWith("is-") || type.startsWith("contains-"));

const aliases: Readonly<Record<string, string>> = {
  fn: "javascript",
  eval: "javascript",
  grade: "llm-rubric",
};

function readSchema(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
