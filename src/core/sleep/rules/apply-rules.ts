import { type Skill, mainText, withMainText } from "../../skill/skill.ts";
import type { Document } from "./document.ts";
import { tallyOf } from "./evidence.ts";
import { editRules } from "./learned-block.ts";
import type { Rule } from "./rule.ts";

export interface AppliedRules {
  readonly skill: Skill;
  /** Rules that could not be applied, each with why. */
  readonly unmatched: readonly { readonly rule: Rule; readonly reason: string }[];
}

/** The document with these rules in its learned block, applied one after another; nothing else of it changes. */
export function applyRules({ skill }: Pick<Document, "skill">, rules: readonly Rule[]): AppliedRules {
  const unmatched: { rule: Rule; reason: string }[] = [];
  let text = mainText(skill);
  for (const rule of rules) {
    const edited = editRules(text, rule.edit);
    if (edited.ok) text = edited.text;
    else unmatched.push({ rule, reason: edited.reason });
  }
  return { skill: text === mainText(skill) ? skill : withMainText(skill, text), unmatched };
}

/** What a night stages: proven by tasks, or stated by the person. */
export const isStaged = ({ status }: Rule): boolean => status === "proven" || status === "stated";

/** Undecided, and more won than lost: a person may want it as it is. */
export function isPromising(rule: Rule): boolean {
  const { wins, losses } = tallyOf(rule);
  return rule.status === "open" && wins > losses;
}
