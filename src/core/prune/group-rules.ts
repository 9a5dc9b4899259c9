import type { SkillRule } from "./find-rules.ts";

/** With more rules than this, neighbours are first taken out together. */
const mostGroups = 16;

/** Rules that are taken out together at first: one by one as long as they are few. */
export function groupRules(rules: readonly SkillRule[]): readonly (readonly SkillRule[])[] {
  const size = Math.ceil(rules.length / mostGroups);
  return Array.from({ length: Math.ceil(rules.length / Math.max(size, 1)) }, (_, at) =>
    rules.slice(at * size, (at + 1) * size),
  );
}
