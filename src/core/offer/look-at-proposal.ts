import type { Context } from "../context.ts";
import { isBinary } from "../files.ts";
import { own } from "../own.ts";
import type { Looked, Rule } from "../rules/rule.ts";
import type { Skill } from "../skill/skill.ts";
import { askPowers } from "../stages/ask-powers.ts";
import { composeRules } from "./compose-rules.ts";
import { isProse } from "./find-file-powers.ts";
import { newLines, powersLookedAt } from "./looked-at.ts";
import type { ProposalInput } from "./proposal.ts";

/** The texts that a proposal would write. */
export type Written = Pick<ProposalInput, "original" | "best" | "others" | "rules" | "looked">;

/**
 * The proposal with what a model found that its new lines ask for: each rule's in its record, and what belongs to no single
 * rule beside them.
 */
export async function lookAtProposal<Input extends Written>(input: Input, context: Context): Promise<Input> {
  const { original, best, others = {}, rules = [] } = input;
  const changes = rules.map((rule) => changedProse(original, composeRules(original, [rule], [rule]).skill));
  const ruleTexts = changes.map((change) => newText(change));
  const known = ruleTexts.join("\n");
  const skills = [best, ...Object.values(others).map(({ skill }) => skill)];
  const restTexts = skills.map((skill) => newText(changedProse(original, skill), known));
  const answer = await lookAt([...ruleTexts, ...restTexts], context);
  const looked = [...new Set(restTexts)].flatMap(answer);
  const withAnswer = (rule: Rule, at: number): Rule => {
    const [own] = answer(ruleTexts[at] ?? "");
    const powers = (changes[at] ?? []).flatMap(([before, after]) =>
      own === undefined ? [] : powersLookedAt(before, after, [own], []),
    );
    return own === undefined ? rule : { ...rule, looked: own, powers: [...rule.powers, ...powers] };
  };
  return {
    ...input,
    ...(rules.length === 0 ? {} : { rules: rules.map(withAnswer) }),
    ...(looked.length === 0 ? {} : { looked }),
  };
}

/** Asks of all texts at once; what the answer says of each, or nothing. */
export async function lookAt(
  texts: readonly string[],
  context: Context,
): Promise<(text: string) => readonly Looked[]> {
  const asked = texts.filter((text) => text !== "");
  const found = await askPowers(asked, { role: "optimizer", step: 0, stage: "confirm" }, context);
  return (text) => {
    const powers = found.get(text);
    return powers === undefined ? [] : [{ by: context.models.optimizer, text, powers }];
  };
}

type Change = readonly [before: string, after: string];

const changedProse = (original: Skill, skill: Skill): readonly Change[] =>
  Object.entries(skill.files)
    .filter(([path, content]) => isProse(path) && !isBinary(content))
    .map(([path, content]) => [own(original.files, path) ?? "", content]);

/** The lines that are new in it, but for those that are known. */
const newText = (changes: readonly Change[], known = ""): string =>
  changes
    .flatMap(([before, after]) => newLines(`${before}\n${known}`, after))
    .map(({ written }) => written)
    .join("\n");
