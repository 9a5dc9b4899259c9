import type { RuleTable } from "./rule-table.ts";

/** The score that a text with these rules should have on val: the original's, and what the model says they add. */
export function expectedScore({ levels, original, rules }: RuleTable, held: readonly number[]): number {
  const odds = rules.reduce((sum, { rule, odds: own }) => (held.includes(rule) ? sum + own : sum), 0);
  const mean = (shift: number) =>
    levels.reduce((sum, level) => sum + 1 / (1 + Math.exp(-level - shift)), 0) / Math.max(levels.length, 1);
  return Math.min(Math.max(original + mean(odds) - mean(0), 0), 1);
}
