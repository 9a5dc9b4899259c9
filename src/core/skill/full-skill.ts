import { type EditLimits, editableLength } from "./apply-edits.ts";
import type { Skill } from "./skill.ts";
import { findTightFiles } from "./token-budgets.ts";
import type { SkillProblem } from "./validate-skill.ts";

/** Where training can only shorten, because a limit is reached before it begins. */
export function findFullSkill(skill: Skill, limits: EditLimits): readonly SkillProblem[] {
  const { allowScripts = false, maxSkillLength = Number.POSITIVE_INFINITY, tokenBudgets = {} } = limits;
  const length = editableLength(skill, allowScripts);
  return [
    ...findTightFiles(skill, tokenBudgets)
      .filter(({ tokens, budget }) => tokens >= budget)
      .map(({ path, surface, tokens, budget }) =>
        full(
          `${path} has about ${tokens} tokens, of at most ${budget}, so no edit may make it longer.`,
          `Shorten it, or raise \`tokenBudgets.${surface}\` in the config.`,
        ),
      ),
    ...(length >= maxSkillLength
      ? [
          full(
            `Its texts have ${length} characters, of at most ${maxSkillLength}, so no edit may make them longer.`,
            "Shorten them, or raise `maxSkillLength` in the config.",
          ),
        ]
      : []),
  ];
}

const full = (message: string, hint: string): SkillProblem => ({ level: "warning", message, hint });
