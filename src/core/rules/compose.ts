import { applyEdit, type EditLimits } from "../skill/apply-edits.ts";
import { replaceRegion } from "../skill/regions.ts";
import { mainText, type Skill, withMainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import type { Rule } from "./rule.ts";

export interface Composed {
  readonly skill: Skill;
  /** Numbers of the rules that are in it. One whose place is not there, or already taken, is not. */
  readonly held: readonly number[];
}

/**
 * The base with some rules in it. Pure, and the order in which they are given does not matter: they go in by number. Rules that
 * change each other's text sort themselves out here. Of two that change the same words the second finds them gone; one that changes
 * the words of another needs it.
 */
export function compose(base: Skill, rules: readonly Rule[], limits: EditLimits = {}): Composed {
  let skill = base;
  let held: readonly Rule[] = [];
  for (const rule of rules.toSorted((a, b) => a.number - b.number)) {
    const next = put(rule, skill, limits);
    if (next === undefined) continue;
    skill = next;
    const { change } = rule;
    held = [...(change.kind === "edit" ? held : held.filter((one) => outlives(one, rule, base))), rule];
  }
  return {
    skill,
    held: held
      .flatMap(withParts)
      .filter(isFirst)
      .toSorted((a, b) => a - b),
  };
}

const isFirst = (one: number, at: number, all: readonly number[]): boolean => all.indexOf(one) === at;

const withParts = ({ number, change }: Rule): readonly number[] =>
  change.kind === "text" ? [...change.holds, number] : [number];

function put({ change }: Rule, skill: Skill, limits: EditLimits): Skill | undefined {
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
function outlives(one: Rule, later: Rule, base: Skill): boolean {
  if (later.change.kind === "edit") return true;
  if (later.change.region !== undefined)
    return one.change.kind === "edit" || one.change.region !== later.change.region;
  return one.change.kind === "edit" && (one.change.edit.file ?? base.main) !== base.main;
}

/**
 * The most of the wanted rules that go into one text. Where two cannot, `prefers` says whether the later one, which did not find
 * its place, goes before the earlier.
 */
export function settle(
  base: Skill,
  wanted: readonly Rule[],
  limits: EditLimits,
  prefers: (later: number, earlier: number) => boolean,
): Composed {
  let rules = wanted;
  let composed = compose(base, rules, limits);
  for (const rule of wanted) {
    if (composed.held.includes(rule.number)) continue;
    for (const rival of rules) {
      if (rival.number >= rule.number || !composed.held.includes(rival.number)) continue;
      const others = rules.filter((one) => one !== rival);
      const without = compose(base, others, limits);
      if (!without.held.includes(rule.number)) continue;
      if (prefers(rule.number, rival.number)) [rules, composed] = [others, without];
      break;
    }
  }
  return composed;
}
