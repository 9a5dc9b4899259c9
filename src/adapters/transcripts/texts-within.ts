import { isRecord } from "../agents/event-fields.ts";

/** All texts in a value, however deep: for outputs of tools, whose shapes differ from tool to tool. */
export function textsWithin(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsWithin);
  return isRecord(value) ? Object.values(value).flatMap(textsWithin) : [];
}
