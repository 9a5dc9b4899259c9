import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type RulePassage, carries, editor } from "../prompts/editor.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { askModel } from "./ask-model.ts";
import { type GuardInput, refusal } from "./guard-edits.ts";
import { joinSections, jsonSection, skillSection } from "./optimizer-text.ts";

/** A rule that the search kept, in its own words. */
interface KeptRule {
  readonly id: string;
  readonly text: string;
}

export interface EditorInput {
  /** Without the rules. */
  readonly skill: Skill;
  readonly rules: readonly KeptRule[];
  /** The output contracts, in the format of `contractSection`. */
  readonly contracts: string;
  readonly guard: GuardInput;
  readonly place: Place;
}

export type EditorText =
  | { readonly ok: true; readonly passages: readonly RulePassage[] }
  | { readonly ok: false; readonly reason: string };

/**
 * The editor merges rules that say the same into one passage, and puts each passage at its place in the skill. Passages
 * are guarded like edits and must carry every rule, which a separate question to the model checks.
 */
export async function askEditor(input: EditorInput, context: Context): Promise<EditorText> {
  const { skill, rules, contracts, guard, place } = input;
  const user = joinSections([
    skillSection(skill, context.settings),
    contracts,
    jsonSection("Rules to write in", { rules }),
  ]);
  const edited = await askModel(editor, user, place, context);
  if (edited === undefined) return { ok: false, reason: "the editor's reply couldn't be used" };
  const { passages } = edited;
  const refused = passages.map(({ content }) => refusal(content, guard)).find((one) => one !== undefined);
  const reason =
    findLoss(rules, passages) ?? refused?.detail ?? (await findChange(rules, passages, input, context));
  return reason === undefined ? { ok: true, passages } : { ok: false, reason };
}

/** Finds a rule that isn't in exactly one passage. */
function findLoss(rules: readonly KeptRule[], passages: readonly RulePassage[]): string | undefined {
  const carried = passages.flatMap((one) => one.rules);
  const wrong = rules.find(({ id }) => carried.filter((one) => one === id).length !== 1);
  if (wrong !== undefined) return `rule ${wrong.id} doesn't belong to exactly one passage`;
  return carried.length === rules.length ? undefined : "a passage names a rule that isn't there";
}

/** Finds what the new wording loses of a rule, or of a skill line that it replaces. */
async function findChange(
  rules: readonly KeptRule[],
  passages: readonly RulePassage[],
  { skill, place }: EditorInput,
  context: Context,
): Promise<string | undefined> {
  const pairs = passages.flatMap(({ rules: ids, op, target = "", content }, at) => {
    const lines = mainText(skill).split("\n");
    const old = op === "replace" ? (lines.find((line) => line.includes(target)) ?? target) : "";
    return [
      ...rules.filter(({ id }) => ids.includes(id)).map(({ id, text }) => ({ id, old: text, new: content })),
      ...(old === "" ? [] : [{ id: `line ${at + 1}`, old, new: content }]),
    ].filter((pair) => pair.old.trim() !== pair.new.trim());
  });
  if (pairs.length === 0) return undefined;
  const found = await askModel(carries, jsonSection("Pairs", { pairs }), place, context);
  const lost = pairs.find(({ id }) => found?.answers.find((one) => one.id === id)?.carried !== true);
  return lost && `the new words don't carry ${lost.id.startsWith("line") ? lost.id : `rule ${lost.id}`}`;
}
