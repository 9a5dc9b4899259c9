import type { Context } from "../context.ts";
import { isBinary } from "../files.ts";
import { own } from "../own.ts";
import type { Looked } from "../rules/rule.ts";
import type { Skill } from "../skill/skill.ts";
import { askPowers } from "../stages/ask-powers.ts";
import { composeRules } from "./compose-rules.ts";
import { isProse } from "./find-file-powers.ts";
import { newLines } from "./looked-at.ts";
import type { ProposalInput } from "./proposal.ts";

export type ProposedTexts = Pick<ProposalInput, "original" | "best" | "others" | "rules" | "looked">;

/** Adds a model's findings in new lines to the proposal: per rule, and separately for lines that belong to no single rule. */
export async function lookAtProposal<In extends ProposedTexts>(input: In, context: Context): Promise<In> {
  const { original, best, others = {}, rules = [] } = input;
  const ruleTexts = rules.map((rule) => newText(original, composeRules(original, [rule], [rule]).skill));
  const skills = [best, ...Object.values(others).map(({ skill }) => skill)];
  const restTexts = skills.map((skill) => newText(original, skill, ruleTexts.join("\n")));
  const answer = await lookAtTexts([...ruleTexts, ...restTexts], context);
  const looked = [...new Set(restTexts)].flatMap((text) => answer(text) ?? []);
  return {
    ...input,
    ...(input.rules && {
      rules: rules.map((rule, at) => ({ ...rule, looked: answer(ruleTexts[at] ?? "") })),
    }),
    ...(looked.length > 0 && { looked }),
  };
}

/** A model's answer about a text; undefined if none has looked. */
export type Answered = (text: string) => Looked | undefined;

/** Asks about all texts at once. */
export async function lookAtTexts(texts: readonly string[], context: Context): Promise<Answered> {
  const found = await askPowers(texts, { role: "optimizer", step: 0, stage: "confirm" }, context);
  return (text) => {
    const powers = found.get(text);
    return powers && { by: context.models.optimizer, text, powers };
  };
}

/** The lines of the skill's prose that are neither in the original nor known. */
const newText = (original: Skill, skill: Skill, known = ""): string =>
  Object.entries(skill.files)
    .filter(([path, content]) => isProse(path) && !isBinary(content))
    .flatMap(([path, content]) => newLines(`${own(original.files, path) ?? ""}\n${known}`, content))
    .map(({ written }) => written)
    .join("\n");
