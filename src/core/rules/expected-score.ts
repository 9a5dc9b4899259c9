import type { RuleTable } from "./rule-table.ts";

/** The score that a text with these rules should have on val: the original's, and what each of them adds. */
export function expectedScore({ original, rules }: RuleTable, held: readonly number[]): number {
  const points = rules.reduce((sum, one) => (held.includes(one.rule) ? sum + one.points : sum), 0);
  return Math.min(Math.max(original + points / 100, 0), 1);
}
