import type { LearnedRule, Looked } from "../../src/index.ts";
import type { Skill } from "../../src/ports.ts";

/** The answer of a model that looked at a text and found that it asks for nothing. */
export const lookedAtText = (text: string): Looked => ({ by: "scripted/optimizer", text, powers: [] });

/** The same of all files of a skill. */
export const lookedAt = ({ files }: Pick<Skill, "files">): readonly Looked[] => [
  lookedAtText(Object.values(files).join("\n")),
];

/** A rule of a night as it is staged, after a model has looked at it. */
export const lookedRule = (rule: LearnedRule) => ({
  rule,
  conversations: [],
  powers: [],
  ...(rule.edit.op === "delete" ? {} : { looked: lookedAtText(rule.edit.text) }),
});
