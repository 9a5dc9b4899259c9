import type { RuleSwaps } from "./rules/rule-table.ts";
import { nameRules } from "./search-words.ts";
import { oneIn, signedPoint } from "./verdict-words.ts";

/** Describes findings from random swaps of the texts that had a rule, with a phrase for each. */
export function swapPhrases({ p, without, alike = [], groups = [] }: RuleSwaps): readonly string[] {
  const says = alike.length === 1 ? "says the same, so one of the two" : "say the same, so one of them";
  const moved = groups.map(({ name, points }) => `${name} (${signedPoint(points)} points)`);
  return [
    p === undefined ? "" : `random swaps of the texts that had it give as large a difference ${howOften(p)}`,
    without === undefined ? "" : `without it, the text is expected to ${lossText(without)}`,
    alike.length === 0 ? "" : `${nameRules(alike)} ${says} is enough`,
    moved.length === 0 ? "" : `its effect is shown for ${moved.join(", ")}`,
  ].filter((phrase) => phrase !== "");
}

function howOften(p: number): string {
  if (p > 0.5) return "more often than not";
  // so few draws can't show a smaller chance
  return p < 0.001 ? `less than one time in ${oneIn(0.001)}` : `one time in ${oneIn(p)}`;
}

function lossText(points: number): string {
  if (Math.abs(points) < 0.05) return "stay as good";
  return `${points < 0 ? "gain" : "lose"} ${Math.abs(points).toFixed(1)} points`;
}
