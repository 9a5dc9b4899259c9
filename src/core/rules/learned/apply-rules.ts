import { type Skill, mainText, withMainText } from "../../skill/skill.ts";
import { ownTasks, promiseOf } from "../evidence/standing.ts";
import type { Document } from "./document.ts";
import { editRules } from "./learned-block.ts";
import type { LearnedRule } from "./learned-rule.ts";

interface AppliedRules<R = LearnedRule> {
  readonly skill: Skill;
  /** Rules that couldn't be applied, each with a reason. */
  readonly unmatched: readonly { readonly rule: R; readonly reason: string }[];
}

/** The document with these rules in its learned block, applied one after another; nothing else in it changes. */
export function applyRules<R extends Pick<LearnedRule, "edit">>(
  { skill }: Pick<Document, "skill">,
  rules: readonly R[],
): AppliedRules<R> {
  const unmatched: { rule: R; reason: string }[] = [];
  let text = mainText(skill);
  for (const rule of rules) {
    const edited = editRules(text, rule.edit);
    if (edited.ok) text = edited.text;
    else unmatched.push({ rule, reason: edited.reason });
  }
  return { skill: text === mainText(skill) ? skill : withMainText(skill, text), unmatched };
}

/** Rules that a night stages: proven by tasks, or stated by the person. */
export const isStaged = ({ status }: LearnedRule): boolean => status === "proven" || status === "stated";

/** Undecided, but better with it than without so far: a person may want it as it is. */
export const isPromising = ({ status, evidence }: LearnedRule): boolean =>
  status === "open" && ownTasks(evidence).length > 0 && promiseOf({ evidence }) > 1;
