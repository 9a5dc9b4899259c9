import { isBinary } from "../files.ts";
import type { Skill } from "../skill/skill.ts";
import { findDeadLinks } from "./dead-links.ts";
import { findUnseen } from "./unseen.ts";
import { findDoubledRules } from "./doubled-rules.ts";
import type { LintFinding } from "./lint-finding.ts";
import { findMissingWhen } from "./missing-when.ts";
import { findPrices, type TextPrices } from "./text-prices.ts";
import { findVagueRules } from "./vague-rules.ts";

export interface Linted {
  readonly findings: readonly LintFinding[];
  readonly prices: TextPrices;
}

/**
 * Finds problems in a skill's text without a model, so the same text always gives the same result. `exists` tells
 * whether a path exists next to the main file. By default only the skill's own files do.
 */
export function lintSkill(
  skill: Skill,
  exists: (path: string) => boolean = (path) => Object.hasOwn(skill.files, path),
): Linted {
  const texts = Object.entries(skill.files).filter(([, content]) => !isBinary(content));
  const { prices, findings } = findPrices(skill);
  return {
    prices,
    findings: [
      ...findMissingWhen(skill),
      ...findVagueRules(skill),
      ...findDeadLinks(skill, exists),
      ...findDoubledRules(skill),
      ...findings,
      ...texts.flatMap(([file, text]) => findUnseen(file, text)),
    ],
  };
}
