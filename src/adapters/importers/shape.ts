import { isJsonObject } from "../../core/json.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const isFilled = (value: Json | undefined): value is string =>
  typeof value === "string" && value.trim() !== "";

/** Strings and numbers as strings; undefined for anything else. */
export const asText = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;

/** All fields except the named ones. */
export const without = (record: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

export const isEmpty = (record: JsonObject): boolean => Object.keys(record).length === 0;

/** A row's own id, or else one made from its position. */
export const rowId = (id: Json | undefined, fallback: string): string => {
  const given = asText(id);
  return given === undefined || given.trim() === "" ? fallback : given;
};

/** The rows of a list; each must be an object. */
export function recordsOf(data: Json | undefined, path: string): readonly JsonObject[] {
  if (!isList(data))
    throw tasksInvalid(`${path} isn't a list of rows.`, "Write a JSON array, or one row per line.");
  return data.map((row, at) => {
    if (isJsonObject(row)) return row;
    throw tasksInvalid(`${path}, row ${at + 1} isn't an object.`, "Fix the row, or remove it.");
  });
}

export const tasksInvalid = (problem: string, hint: string): WhetstoneError =>
  new WhetstoneError("tasks-invalid", problem, { hint });
