import type { Check } from "../tasks/task.ts";

/** The checks inside an `all` or `any`; empty for any other check and for a broken set. */
export function setMembers({ kind, value }: Check): readonly Check[] {
  if (kind !== "all" && kind !== "any") return [];
  const { checks } = Object(value) as { readonly checks?: unknown };
  return Array.isArray(checks) ? checks.filter(isCheck) : [];
}

const isCheck = (value: unknown): value is Check =>
  typeof value === "object" && value !== null && "kind" in value && "value" in value;
