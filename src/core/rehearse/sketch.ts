import { ruleNames } from "../prompts/prompt.ts";
import { compose } from "../rules/compose.ts";
import { type SearchRule, ruleFile, wordsOfRule } from "../rules/search-rule.ts";
import { mainText, withMainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";

/** Whether a rehearsal made up the rule. */
export const isDrawnRule = (rule: SearchRule): boolean => ruleNames(wordsOfRule(rule)).length > 0;

/**
 * Approximates the text that rules make of a base: it has the right rules and length, but rules can be anywhere in it.
 * It composes them as usual if a rule isn't drawn, does more than change words in the main file, or doesn't fit there.
 */
export const sketch: typeof compose = (base, rules, limits) => {
  const isSimple = rules.every(
    (rule) =>
      isDrawnRule(rule) &&
      ruleFile(rule, base) === base.main &&
      (rule.change.kind === "edit" || rule.change.region !== undefined),
  );
  if (!isSimple) return compose(base, rules, limits);
  const text = rules.reduce((before, { change }) => {
    if (change.kind === "text") return `${before}${change.text}\n`;
    const { op, target = "", content = "" } = change.edit;
    return op === "append" || op === "insert_after"
      ? `${before}${content}\n`
      : before.replace(target, () => (op === "delete" ? "" : content));
  }, mainText(base));
  const { maxSkillLength = Number.POSITIVE_INFINITY, tokenBudgets = {} } = limits ?? {};
  const hasRoom =
    text.length <= maxSkillLength && findFileOverrun(base, base.main, text, tokenBudgets) === undefined;
  if (!hasRoom) return compose(base, rules, limits);
  const held = rules.map(({ number }) => number).toSorted((a, b) => a - b);
  return { skill: withMainText(base, text), held };
};
