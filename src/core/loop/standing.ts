import type { SearchRule } from "../rules/search-rule.ts";
import type { RuleResult, RuleSearch } from "../rules/rule-search.ts";
import type { Skill } from "../skill/skill.ts";

/** Where the search stands: the incumbent, the val winner so far, and what the gate knows of them. */
export interface Standing {
  readonly current: MeasuredSkill;
  readonly best: MeasuredSkill & { readonly step: number };
  readonly gate: GateKnowledge;
}

export interface MeasuredSkill {
  readonly skill: Skill;
  /** The gate's score; null when nothing was measured (`gate: off`). */
  readonly score: number | null;
}

export type GateKnowledge =
  | {
      readonly kind: "strict";
      /** The incumbent's gate score on each val task. */
      readonly byTask: readonly number[];
    }
  | RulesKnowledge
  | { readonly kind: "off" };

/** What the gate `rules` knows. */
export interface RulesKnowledge {
  readonly kind: "rules";
  /** The original: all texts are made of it. */
  readonly base: Skill;
  /** Its measured score. */
  readonly baseScore: number;
  readonly rules: readonly SearchRule[];
  /** Proposals that say what was said before, and where: a rule's number, or none where the skill says it. */
  readonly repeated: readonly { readonly rule: SearchRule; readonly of?: number }[];
  readonly search: RuleSearch;
  /** Numbers of the rules in the incumbent. */
  readonly held: readonly number[];
  /** All results so far, in the order in which they were asked. */
  readonly results: readonly RuleResult[];
}
