import { isBinary } from "../files.ts";
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import type { TrainSettings } from "../settings.ts";
import { findBrokenProtection } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import { findDescriptionProblem } from "../triggers/description.ts";
import { type GuardInput, refusal } from "./guard-edits.ts";

/** Why the main file may not become this text, or undefined. */
export function findRewriteProblem(
  skill: Skill,
  text: string,
  guard: GuardInput,
  { maxSkillLength, tokenBudgets, track }: Pick<TrainSettings, "maxSkillLength" | "tokenBudgets" | "track">,
): string | undefined {
  return (
    brokenRule(mainText(skill), text, maxSkillLength) ??
    findFileOverrun(skill, skill.main, text, tokenBudgets) ??
    (track === "description" ? findDescriptionProblem(text) : undefined) ??
    refusal(text, guard)?.detail
  );
}

function brokenRule(before: string, after: string, maxLength: number): string | undefined {
  const broken = findBrokenProtection(before, after);
  if (broken !== null) return `the rewrite changed the ${broken.replace("-", " ")}`;
  const [hidden] = findHiddenCharacters(after);
  if (hidden !== undefined) return `the rewrite contains a hidden character (${hidden.name})`;
  if (isBinary(after)) return "the rewrite isn't text";
  if (after.length > maxLength) return `the rewrite has ${after.length} characters, ${maxLength} are allowed`;
  return undefined;
}
