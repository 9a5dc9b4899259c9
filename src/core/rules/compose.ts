import { type EditLimits, type EditSpan, applyEdit, applyEditNear } from "../skill/apply-edits.ts";
import type { Edit } from "../skill/edit.ts";
import { findRegions, replaceRegion } from "../skill/regions.ts";
import { mainText, type Skill, withMainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import { meet, spanIn, standsOn } from "./rule-spans.ts";
import { type Change, type SearchRule, ruleFile } from "./search-rule.ts";

export interface ComposedSkill {
  readonly skill: Skill;
  /** Numbers of the rules that are in it. One whose place is not there, or already taken, is not. */
  readonly held: readonly number[];
}

/**
 * The base with some rules in it. Pure, and the order in which they are given does not matter: they go in by number. Each has its
 * place in the base, wherever the others have moved it: of two that change the same words the first is in. One that changes or
 * follows the words of another finds them when that one is in.
 */
export function compose(base: Skill, rules: readonly SearchRule[], limits: EditLimits = {}): ComposedSkill {
  let text: Composed = { skill: base, ground: base, placed: [] };
  let held: readonly SearchRule[] = [];
  for (const rule of inTurn(rules, base)) {
    const next = put(rule.change, text, limits);
    if (next === undefined) continue;
    text = next;
    held = [...held.filter((one) => outlives(one, rule, base)), rule];
  }
  return { skill: text.skill, held: [...new Set(held.flatMap(withParts))].toSorted((a, b) => a - b) };
}

/** A text in the making. */
interface Composed {
  readonly skill: Skill;
  /** The text that spans are of: the base, or a whole new text. */
  readonly ground: Skill;
  /** The edits in it, and by how much each made its file longer. */
  readonly placed: readonly (EditSpan & { readonly by: number })[];
}

const isRewrite = ({ change }: SearchRule): boolean => change.kind === "text" && change.region === undefined;

/** Rules by number, but content that follows some words goes in before a rule that changes them. */
function inTurn(rules: readonly SearchRule[], base: Skill): readonly SearchRule[] {
  const waiting = rules.toSorted((a, b) => a.number - b.number);
  // a rule after a whole new text has its place in that one
  const end = waiting.findIndex(isRewrite);
  const early = waiting.splice(0, end < 0 ? waiting.length : end);
  const spanOf = ({ change }: SearchRule) => (change.kind === "edit" ? spanIn(base, change.edit) : undefined);
  const turns = new Set<SearchRule>();
  early.forEach((rule, at) => {
    const span = spanOf(rule);
    if (span !== undefined && span.start < span.end)
      for (const later of early.slice(at + 1)) {
        const own = spanOf(later);
        if (own !== undefined && standsOn(own, span) && !meet(own, span)) turns.add(later);
      }
    turns.add(rule);
  });
  return [...turns, ...waiting];
}

const withParts = ({ number, change }: SearchRule): readonly number[] =>
  change.kind === "text" ? [...change.holds, number] : [number];

function put(change: Change, { skill, ground, placed }: Composed, limits: EditLimits): Composed | undefined {
  if (change.kind === "edit") {
    const span = spanIn(ground, change.edit);
    if (span === undefined) {
      const { skill: edited, report } = applyEdit(skill, change.edit, limits);
      return report.applied ? { skill: edited, ground, placed } : undefined;
    }
    if (placed.some((one) => meet(one, span))) return undefined;
    const edit = span.anchor === undefined ? change.edit : withAnchor(change.edit, span, ground);
    const { skill: edited, report } = applyEditNear(skill, edit, limits, placeNow(span, placed));
    return report.applied
      ? { skill: edited, ground, placed: [...placed, grown(span, skill, edited)] }
      : undefined;
  }
  const before = mainText(skill);
  const text = change.region === undefined ? change.text : replaceRegion(before, change.region, change.text);
  if (findFileOverrun(skill, skill.main, text, limits.tokenBudgets ?? {}) !== undefined) return undefined;
  const written = withMainText(skill, text);
  if (change.region === undefined) return { skill: written, ground: written, placed: [] };
  const old = mainText(ground);
  const at = findRegions(old).find(({ name }) => name === change.region)?.start ?? old.length;
  const span = { file: skill.main, start: at, end: at };
  return { skill: written, ground, placed: [...placed, grown(span, skill, written)] };
}

/** Of an anchor of many lines the last alone: another rule may stand between them. */
const withAnchor = (edit: Edit, { file, anchor }: EditSpan, ground: Skill): Edit => ({
  ...edit,
  target: ground.files[file]?.slice(anchor?.start, anchor?.end),
});

/** The present offset of an edit's words, unless it has none. */
function placeNow({ file, start, end, anchor }: EditSpan, placed: Composed["placed"]): number | undefined {
  if (start === end && anchor === undefined) return undefined;
  const at = (anchor ?? { start }).start;
  return placed.reduce((now, one) => (one.file === file && one.start <= at ? now + one.by : now), at);
}

const grown = (span: EditSpan, before: Skill, after: Skill): Composed["placed"][number] => ({
  ...span,
  by: (after.files[span.file] ?? "").length - (before.files[span.file] ?? "").length,
});

/** Whether a rule still stands after a later one has written its place anew. */
function outlives(one: SearchRule, later: SearchRule, base: Skill): boolean {
  if (later.change.kind === "edit") return true;
  if (later.change.region !== undefined)
    return one.change.kind === "edit" || one.change.region !== later.change.region;
  return one.change.kind === "edit" && ruleFile(one, base) !== base.main;
}
