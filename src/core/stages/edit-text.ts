import type { Context } from "../context.ts";
import { plainWords } from "../markdown/said.ts";
import type { Place } from "../place.ts";
import { type EditedSkill, editor } from "../prompts/editor.ts";
import { type Skill, mainText, withMainText } from "../skill/skill.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import { askModel } from "./ask-model.ts";
import type { GuardInput } from "./guard-edits.ts";
import { joinSections, jsonSection, skillSection } from "./optimizer-text.ts";
import { findRewriteProblem } from "./rewrite.ts";

/** A rule that the search has kept, as it stands in the skill. */
interface KeptRule {
  readonly id: string;
  readonly text: string;
}

export type EditorText =
  | {
      readonly ok: true;
      readonly candidate: Skill;
      /** Which sentence carries which rules. */
      readonly sentences: EditedSkill["sentences"];
    }
  | { readonly ok: false; readonly reason: string };

/**
 * The editor: the main file written anew, with the kept rules in its own structure and voice. The text is guarded like any
 * rewrite, is not longer than it was, and carries every rule; whether it is as good is for the search to measure.
 */
export async function writeEdited(
  skill: Skill,
  rules: readonly KeptRule[],
  contracts: string,
  guard: GuardInput,
  place: Place,
  context: Context,
): Promise<EditorText> {
  if (rules.length === 0) return { ok: false, reason: "there is no rule to write in" };
  const user = joinSections([
    skillSection(skill, context.settings),
    contracts,
    jsonSection("Rules to write in", { rules: rules.map(({ id, text }) => ({ id, text })) }),
  ]);
  const edited = await askModel(editor, user, place, context);
  if (edited === undefined) return { ok: false, reason: "the editor's reply could not be used" };
  const text = edited.new_skill.endsWith("\n") ? edited.new_skill : `${edited.new_skill}\n`;
  const reason =
    findRewriteProblem(skill, text, guard, context.settings) ??
    findLength(mainText(skill), text) ??
    findLoss(text, edited.sentences, rules);
  if (reason !== undefined) return { ok: false, reason };
  return { ok: true, candidate: withMainText(skill, text), sentences: edited.sentences };
}

function findLength(before: string, after: string): string | undefined {
  if (after === before) return "the editor changed nothing";
  const [old, now] = [estimateTokens(before), estimateTokens(after)];
  return now > old ? `the editor's text has about ${now} tokens, ${old} before` : undefined;
}

/** A sentence that is not in the text, or a rule that no sentence carries. */
function findLoss(
  text: string,
  sentences: EditedSkill["sentences"],
  rules: readonly KeptRule[],
): string | undefined {
  const said = plainWords(text);
  const strange = sentences.find(({ sentence }) => !said.includes(plainWords(sentence).trim()));
  if (strange !== undefined) return `the editor's text does not hold the sentence "${strange.sentence}"`;
  const carried = new Set(sentences.flatMap((one) => one.rules));
  const lost = rules.filter(({ id }) => !carried.has(id)).map(({ id }) => id);
  return lost.length === 0 ? undefined : `no sentence carries ${lost.join(", ")}`;
}
