import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { isBinary } from "../files.ts";
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { rewriteSkillPrompt } from "../prompts/rewrite-skill.ts";
import type { TrainSettings } from "../settings.ts";
import type { Edit } from "../skill/edit.ts";
import { findBrokenProtection } from "../skill/regions.ts";
import { type Skill, mainText, withMainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import { findDescriptionProblem } from "../triggers/description.ts";
import { proposal } from "./aggregate.ts";
import { askModel } from "./ask-model.ts";
import { type GuardInput, refusal } from "./guard-edits.ts";
import { joinSections, jsonSection, skillSection } from "./optimizer-text.ts";

export interface Rewritten {
  readonly candidate: Skill;
  /** Why the rewrite was refused; the candidate is then the skill as it was. */
  readonly refused?: string;
}

/** Rewrite modes: the main file written anew so that it holds the edits. Protection holds here too. */
export async function rewrite(
  skill: Skill,
  edits: readonly Edit[],
  contracts: string,
  guard: GuardInput,
  place: Place,
  context: Context,
): Promise<Rewritten> {
  if (edits.length === 0) return { candidate: skill };
  const user = joinSections([
    skillSection(skill, context.settings),
    contracts,
    jsonSection("Changes to make", { edits: edits.map(proposal) }),
  ]);
  const written = await askModel(rewriteSkillPrompt, user, place, context);
  if (written === undefined)
    return { candidate: skill, refused: "the optimizer's rewrite could not be used" };
  const text = written.new_skill.endsWith("\n") ? written.new_skill : `${written.new_skill}\n`;
  const refused = findRewriteProblem(skill, text, guard, context.settings);
  if (refused !== undefined) return { candidate: skill, refused };
  return { candidate: withMainText(skill, text) };
}

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
  if (hidden !== undefined) return `the rewrite holds a hidden character (${hidden.name})`;
  if (isBinary(after)) return "the rewrite is no text";
  if (after.length > maxLength) return `the rewrite has ${after.length} characters, ${maxLength} are allowed`;
  return undefined;
}
