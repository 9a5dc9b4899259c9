import type { Rule } from "../rule.ts";
import type { SkillPart } from "./find-rules.ts";
import type { RuleEstimate } from "./prune.ts";

/** The rules of a skill that a pruning removes, in the form for people. */
export const prunedRules = (found: readonly SkillPart[], table: readonly RuleEstimate[]): readonly Rule[] =>
  table.flatMap(({ rule: id, fate, why, worth, low, high, helps, needed, rollouts }) => {
    const rule = found.find((one) => one.id === id);
    if (rule === undefined || fate === "kept") return [];
    const { file, start, end, region, text, tokens } = rule;
    return [
      {
        v: 1,
        id,
        text,
        edit: { kind: "found", file, start, end, ...(region === undefined ? {} : { region }) },
        origin: "found",
        evidence: [
          { kind: "loss", points: 100 * worth, low: 100 * low, high: 100 * high, helps, needed, rollouts },
        ],
        status: "measured",
        works: false,
        label: `removed: ${why}`,
        tokens: -tokens,
        provenance: { conversations: [], tasks: [] },
        powers: [],
      },
    ];
  });
