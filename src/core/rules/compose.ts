import { type EditLimits, type EditSpan, type PlacedEdit, applyEdit } from "../skill/apply-edits.ts";
import { findRegions, replaceRegion } from "../skill/regions.ts";
import { mainText, type Skill, withMainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import { meet, spanIn, standsOn } from "./rule-spans.ts";
import { type Change, type SearchRule, ruleFile } from "./search-rule.ts";

export interface ComposedSkill {
  readonly skill: Skill;
  /** Numbers of the rules in it. A rule whose place doesn't exist, or is already taken, isn't included. */
  readonly held: readonly number[];
}

/**
 * The base with some rules in it. Pure, and independent of the order in which rules are given: they're applied by
 * number. Each has its place in the base, wherever the others have moved it. If two change the same words, the first is
 * included. A rule that changes or follows another rule's words finds them if that rule is included.
 */
export function compose(base: Skill, rules: readonly SearchRule[], limits: EditLimits = {}): ComposedSkill {
  const made = madeOf(base, limits);
  let text = made.text;
  let held: readonly SearchRule[] = [];
  for (const rule of inTurn(rules, base)) {
    if (!text.next.has(rule.change)) {
      const came = put(rule.change, text, limits);
      text.next.set(rule.change, came && { ...came, next: new Map() });
      made.left -= mainText(text.skill).length;
    }
    const next = text.next.get(rule.change);
    if (next === undefined) continue;
    text = next;
    held = [...held.filter((one) => outlives(one, rule, base)), rule];
  }
  return { skill: text.skill, held: [...new Set(held.flatMap(withParts))].toSorted((a, b) => a - b) };
}

/** A text in the making. */
interface Composed {
  readonly skill: Skill;
  /** The text that spans refer to: the base, or a complete new text. */
  readonly ground: Skill;
  /** The edits in it, and how much longer each made its file. */
  readonly placed: readonly (EditSpan & { readonly by: number })[];
  /** The texts after one more change; undefined if the change has no place there. */
  readonly next: Map<Change, Composed | undefined>;
}

/** Texts made from a base so far. Those of one search start with the same rules, and continue from there. */
interface Made {
  readonly text: Composed;
  readonly limits: EditLimits;
  /** Characters that may still be cached. */
  left: number;
}

function madeOf(base: Skill, limits: EditLimits): Made {
  const known = lastMade.get(base);
  const isSame = limitNames.every((name) => known?.limits[name] === limits[name]);
  if (known !== undefined && isSame && known.left > 0) return known;
  const text: Composed = { skill: base, ground: base, placed: [], next: new Map() };
  const made = { text, limits, left: 4_000_000 };
  lastMade.set(base, made);
  return made;
}

const lastMade = new WeakMap<Skill, Made>();
const limitNames = ["maxSkillLength", "tokenBudgets", "allowScripts", "findProblem"] as const;

/** Rules by number, except that content after some words is inserted before a rule changes them. */
function inTurn(rules: readonly SearchRule[], base: Skill): Iterable<SearchRule> {
  const sorted = rules.toSorted((a, b) => a.number - b.number);
  const rewrite = sorted.findIndex(({ change }) => change.kind === "text" && change.region === undefined);
  // a rule after a complete new text has its place in that text
  const spans = sorted
    .slice(0, rewrite < 0 ? sorted.length : rewrite)
    .map(({ change }) => (change.kind === "edit" ? spanIn(base, change.edit) : undefined));
  const turns = new Set<SearchRule>();
  sorted.forEach((rule, at) => {
    const followers = sorted.filter((_, later) => later > at && standsOn(spans[later], spans[at]));
    for (const one of [...followers, rule]) turns.add(one);
  });
  return turns;
}

const withParts = ({ number, change }: SearchRule): readonly number[] =>
  change.kind === "text" ? [...change.holds, number] : [number];

function put(
  change: Change,
  { skill, ground, placed }: Composed,
  limits: EditLimits,
): Omit<Composed, "next"> | undefined {
  if (change.kind === "edit") {
    const span = spanIn(ground, change.edit);
    if (span !== undefined && placed.some((one) => meet(one, span))) return undefined;
    const edit: PlacedEdit = { ...change.edit, near: placeNow(span, placed) };
    const { skill: edited, report } = applyEdit(skill, edit, limits);
    if (!report.applied) return undefined;
    return { skill: edited, ground, placed: [...placed, ...grown(span, skill, edited)] };
  }
  const before = mainText(skill);
  const text = change.region === undefined ? change.text : replaceRegion(before, change.region, change.text);
  if (findFileOverrun(skill, skill.main, text, limits.tokenBudgets ?? {}) !== undefined) return undefined;
  const written = withMainText(skill, text);
  if (change.region === undefined) return { skill: written, ground: written, placed: [] };
  const old = mainText(ground);
  const at = findRegions(old).find(({ name }) => name === change.region)?.start ?? old.length;
  const span = { file: skill.main, start: at, end: at };
  return { skill: written, ground, placed: [...placed, ...grown(span, skill, written)] };
}

/** The current offset of an edit's words, unless it has none in the ground. */
function placeNow(span: EditSpan | undefined, placed: Composed["placed"]): number | undefined {
  if (span === undefined || (span.start === span.end && span.anchor === undefined)) return undefined;
  const at = (span.anchor ?? span).start;
  return placed.reduce((now, one) => (one.file === span.file && one.start <= at ? now + one.by : now), at);
}

function grown(span: EditSpan | undefined, before: Skill, after: Skill): Composed["placed"] {
  if (span === undefined) return [];
  const [old, now] = [before, after].map(({ files }) => files[span.file]?.length ?? 0) as [number, number];
  return [{ ...span, by: now - old }];
}

/** Whether a rule remains after a later one has rewritten its place. */
function outlives(one: SearchRule, later: SearchRule, base: Skill): boolean {
  if (later.change.kind === "edit") return true;
  if (later.change.region !== undefined)
    return one.change.kind === "edit" || one.change.region !== later.change.region;
  return one.change.kind === "edit" && ruleFile(one, base) !== base.main;
}
