import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import type { ImportFormat } from "./imported.ts";
import type { ParsedSource } from "./parse-source.ts";
import { isList } from "./shape.ts";

/** Detects the format from the content. */
export function detectFormat({ kind, data }: ParsedSource): ImportFormat {
  if (isJsonObject(data)) return ofObject(data);
  const rows = isList(data) ? data.filter(isJsonObject) : [];
  const has = (...names: readonly string[]): boolean =>
    rows.some((row) => names.every((name) => Object.hasOwn(row, name)));
  if (has("should_trigger")) return "trigger";
  if (rows.some((row) => Object.keys(row).some((name) => name.startsWith("__")))) return "promptfoo";
  if (kind === "csv") return "csv";
  if (has("vars") || has("assert")) return "promptfoo";
  if (has("question", "context") || has("question", "correct_choice") || isIdList(rows)) return "skillopt";
  if (has("answers") || has("checks")) return "whetstone";
  if (has("ideal")) return "openai-evals";
  if (has("prompt", "expectations") || has("prompt", "assertions") || has("prompt", "expected_output"))
    return "evals-json";
  return rows.some((row) => isList(row["input"])) ? "openai-evals" : "whetstone";
}

/** SkillOpt publishes its splits like this and downloads the questions. */
const isIdList = (rows: readonly JsonObject[]): boolean =>
  rows.length > 0 && rows.every((row) => Object.keys(row).join() === "id");

const promptfooFields = ["tests", "prompts", "scenarios", "defaultTest", "redteam"];

function ofObject(data: JsonObject): ImportFormat {
  if (isList(data["evals"]))
    return data["evals"].some((row) => isJsonObject(row) && "should_trigger" in row)
      ? "trigger"
      : "evals-json";
  if (Object.hasOwn(data, "tasks")) return "whetstone";
  if (promptfooFields.some((name) => Object.hasOwn(data, name))) return "promptfoo";
  return detectFormat({ kind: "json", data: [data] });
}

/** Unwraps the rows of a file. */
export function unwrapRows(data: Json, format: ImportFormat): Json {
  if (!isJsonObject(data) || format === "evals-json" || format === "promptfoo") return data;
  return data["tasks"] ?? data["evals"] ?? [data];
}
