import { applyEdit, type EditLimits } from "../skill/apply-edits.ts";
import { replaceRegion } from "../skill/regions.ts";
import { mainText, type Skill, withMainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import { type SearchRule, ruleFile } from "./search-rule.ts";

export interface ComposedSkill {
  readonly skill: Skill;
  /** Numbers of the rules that are in it. One whose place is not there, or already taken, is not. */
  readonly held: readonly number[];
}

/**
 * The base with some rules in it. Pure, and the order in which they are given does not matter: they go in by number. Rules that
 * change each other's text sort themselves out here. Of two that change the same words the second finds them gone; one that changes
 * the words of another needs it.
 */
export function compose(base: Skill, rules: readonly SearchRule[], limits: EditLimits = {}): ComposedSkill {
  let skill = base;
  let held: readonly SearchRule[] = [];
  for (const rule of rules.toSorted((a, b) => a.number - b.number)) {
    const next = put(rule, skill, limits);
    if (next === undefined) continue;
    skill = next;
    held = [...held.filter((one) => outlives(one, rule, base)), rule];
  }
  return { skill, held: [...new Set(held.flatMap(withParts))].toSorted((a, b) => a - b) };
}

const withParts = ({ number, change }: SearchRule): readonly number[] =>
  change.kind === "text" ? [...change.holds, number] : [number];

function put({ change }: SearchRule, skill: Skill, limits: EditLimits): Skill | undefined {
  if (change.kind === "edit") {
    const { skill: edited, report } = applyEdit(skill, change.edit, limits);
    return report.applied ? edited : undefined;
  }
  const text =
    change.region === undefined ? change.text : replaceRegion(mainText(skill), change.region, change.text);
  const overrun = findFileOverrun(skill, skill.main, text, limits.tokenBudgets ?? {});
  return overrun === undefined ? withMainText(skill, text) : undefined;
}

/** Whether a rule still stands after a later one has written its place anew. */
function outlives(one: SearchRule, later: SearchRule, base: Skill): boolean {
  if (later.change.kind === "edit") return true;
  if (later.change.region !== undefined)
    return one.change.kind === "edit" || one.change.region !== later.change.region;
  return one.change.kind === "edit" && ruleFile(one, base) !== base.main;
}

/** Which of the others are never in one text with the rule, given what else stands there: they change the same words. */
export function exclusiveWith(
  rule: SearchRule,
  others: readonly SearchRule[],
  {
    base,
    beside,
    limits,
  }: { readonly base: Skill; readonly beside: readonly SearchRule[]; readonly limits: EditLimits },
): readonly number[] {
  const heldOf = (rules: readonly SearchRule[]) => compose(base, rules, limits).held;
  return others
    .filter((other) => {
      const rest = beside.filter((one) => one !== rule && one !== other);
      const together = heldOf([...rest, rule, other]);
      return [rule, other].some(
        (one) => !together.includes(one.number) && heldOf([...rest, one]).includes(one.number),
      );
    })
    .map(({ number }) => number);
}
