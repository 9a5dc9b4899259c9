import { type EditLimits, editableLength } from "./apply-edits.ts";
import type { Skill } from "./skill.ts";
import { findTightFiles } from "./token-budgets.ts";
import type { SkillProblem } from "./validate-skill.ts";

/** Finds limits that are already reached, so that training can only shorten the text. */
export function findFullSkill(skill: Skill, limits: EditLimits): readonly SkillProblem[] {
  const { allowScripts = false, maxSkillLength = Number.POSITIVE_INFINITY, tokenBudgets = {} } = limits;
  const length = editableLength(skill, allowScripts);
  return [
    ...findTightFiles(skill, tokenBudgets)
      .filter(({ tokens, budget }) => tokens >= budget)
      .map(({ path, surface, tokens, budget }) =>
        full(
          `${path} has about ${tokens} tokens and its budget is ${budget}, so edits can't make it longer.`,
          `Shorten it, or raise \`tokenBudgets.${surface}\` in the config.`,
        ),
      ),
    ...(length >= maxSkillLength
      ? [
          full(
            `Its texts have ${length} characters and the limit is ${maxSkillLength}, so edits can't make them longer.`,
            "Shorten them, or raise `maxSkillLength` in the config.",
          ),
        ]
      : []),
  ];
}

const full = (message: string, hint: string): SkillProblem => ({ level: "warning", message, hint });
