import { estimateTokens } from "../../work/estimate-tokens.ts";
import type { Rule } from "../rule.ts";
import type { SkillPart } from "./find-rules.ts";
import type { RuleEstimate } from "./prune.ts";

/** The rules of a skill that a pruning removes or shortens, as a person gets them. */
export const prunedRules = (found: readonly SkillPart[], table: readonly RuleEstimate[]): readonly Rule[] =>
  table.flatMap(({ rule: id, fate, shorter = "", why, worth, low, high, helps, needed, rollouts }) => {
    const rule = found.find((one) => one.id === id);
    if (rule === undefined || fate === "kept") return [];
    const { file, start, end, region, text, tokens } = rule;
    return [
      {
        v: 1,
        id,
        text: fate === "removed" ? text : shorter,
        edit: { kind: "found", file, start, end, ...(region === undefined ? {} : { region }), text: shorter },
        origin: "found",
        evidence: [
          { kind: "loss", points: 100 * worth, low: 100 * low, high: 100 * high, helps, needed, rollouts },
        ],
        status: "measured",
        works: false,
        label: `${fate}: ${why}`,
        tokens: estimateTokens(shorter) - tokens,
        provenance: { conversations: [], tasks: [] },
        powers: [],
      },
    ];
  });
