import { ruleLabel } from "../verdict-words.ts";
import type { Rule } from "./rule.ts";
import { type RuleTable, swapsSchema } from "./rule-table.ts";
import type { SearchRule } from "./search-rule.ts";

/** All rules of a search with their worth, and the changes of those that are in its text. */
export interface Searched {
  readonly table: RuleTable;
  readonly kept: readonly SearchRule[];
}

/** The rules that a search kept, in the form for people. The verdict on its text is about all of them together. */
export const searchedRules = ({ kept, table }: Searched): readonly Rule[] =>
  table.rules.flatMap((measured) => {
    const found = kept.find(({ number }) => number === measured.rule);
    if (found === undefined) return [];
    const { points, low, high, sd, rollouts, ofRollouts, text, tokens, evidence } = measured;
    const swaps = swapsSchema.parse(measured);
    return [
      {
        v: 1,
        id: String(found.number),
        text,
        edit: found.change,
        origin: "proposed",
        evidence:
          rollouts === 0
            ? []
            : [{ kind: "worth", points, low, high, sd, rollouts, ofRollouts, ...swaps } as const],
        status: "measured",
        works: false,
        label: ruleLabel(measured),
        tokens,
        provenance: { conversations: [], tasks: evidence },
        powers: [],
      },
    ];
  });

/** The expected score on val of a text with these rules. */
export function expectedScore(baseline: number, rules: readonly Rule[]): number {
  const worths = rules.flatMap(({ evidence }) => evidence.filter((one) => one.kind === "worth"));
  const points = worths.reduce((sum, one) => sum + one.points, 0);
  return Math.min(Math.max(baseline + points / 100, 0), 1);
}
