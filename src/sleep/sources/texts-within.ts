import { isObject } from "../../core/json.ts";

/** All texts in a value, however deep: for outputs of tools, whose shapes differ from tool to tool. */
export function textsWithin(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsWithin);
  return isObject(value) ? Object.values(value).flatMap(textsWithin) : [];
}
