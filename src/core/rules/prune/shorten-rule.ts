import type { Context } from "../../context.ts";
import { estimateTokens } from "../../work/estimate-tokens.ts";
import { findHiddenCharacters } from "../../guard/hidden-characters.ts";
import { shorten as prompt } from "../../prompts/shorten.ts";
import { forgesMarker } from "../../skill/regions.ts";
import { singleFileSkill } from "../../skill/skill.ts";
import { askModel } from "../../stages/ask-model.ts";
import { type GuardInput, refusal } from "../../stages/guard-edits.ts";
import { joinSections } from "../../stages/optimizer-text.ts";
import type { PartChange } from "./change-rules.ts";
import { type SkillPart, findRules } from "./find-rules.ts";

/** A shorter text for one rule, or undefined where the optimizer has none that may be used. */
export async function shortenRule(
  rule: SkillPart,
  guard: GuardInput,
  context: Context,
): Promise<PartChange | undefined> {
  const user = joinSections([`# The rule\n\n<rule>\n${rule.text}\n</rule>`]);
  const place = { role: "optimizer", step: 0, stage: "update" } as const;
  const reply = await askModel(prompt, user, place, context);
  const text = reply === undefined ? "" : inForm(reply.text.trim(), rule);
  return isUsable(text, rule, guard) ? { part: rule, text } : undefined;
}

/** The marker and the columns before it are the rule's, not the optimizer's. */
function inForm(text: string, { text: before }: SkillPart): string {
  const marker = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?/;
  return (marker.exec(before)?.[0] ?? "") + text.replace(marker, "");
}

function isUsable(text: string, rule: SkillPart, guard: GuardInput): boolean {
  if (text.trim() === "" || estimateTokens(text) >= rule.tokens) return false;
  if (forgesMarker(text) || findHiddenCharacters(text).length > 0) return false;
  // one rule stays one rule: no heading, no second paragraph
  const [only, second] = findRules(singleFileSkill(text));
  return (
    only !== undefined && second === undefined && only.text === text && refusal(text, guard) === undefined
  );
}
