import type { RuleSwaps } from "./rules/rule-table.ts";
import { nameRules } from "./search-words.ts";
import { oneIn, signedPoint } from "./verdict-words.ts";

/** Findings from swaps of the texts that had a rule, a phrase each. */
export function swapPhrases({ p, without, alike = [], groups = [] }: RuleSwaps): readonly string[] {
  const says = alike.length === 1 ? "says the same: one of the two" : "say the same: one of them";
  const moved = groups.map(({ name, points }) => `${name} (${signedPoint(points)} points)`);
  return [
    p === undefined ? "" : `swapping at random which texts had it gives as large a difference ${howOften(p)}`,
    without === undefined ? "" : `without it, the text is expected to ${lossText(without)}`,
    alike.length === 0 ? "" : `${nameRules(alike)} ${says} is enough`,
    moved.length === 0 ? "" : `its effect is shown for ${moved.join(", ")}`,
  ].filter((phrase) => phrase !== "");
}

function howOften(p: number): string {
  if (p > 0.5) return "more often than not";
  // no smaller chance can be told from so few draws
  return p < 0.001 ? `less than one time in ${oneIn(0.001)}` : `one time in ${oneIn(p)}`;
}

function lossText(points: number): string {
  if (Math.abs(points) < 0.05) return "stay as good";
  return `${points < 0 ? "gain" : "lose"} ${Math.abs(points).toFixed(1)} points`;
}
