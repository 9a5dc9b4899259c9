import { type EditSpan, findEditSpan } from "../skill/apply-edits.ts";
import type { Edit } from "../skill/edit.ts";
import { type Skill, withMainText } from "../skill/skill.ts";
import { type SearchRule, ruleFile } from "./search-rule.ts";

/** The place of an edit in a text, looked up once; undefined if that text alone has none for it. */
export function spanIn(ground: Skill, edit: Edit): EditSpan | undefined {
  const known = spans.get(ground) ?? new WeakMap<Edit, EditSpan | "nowhere">();
  spans.set(ground, known);
  const span = known.get(edit) ?? findEditSpan(ground, edit) ?? "nowhere";
  known.set(edit, span);
  return span === "nowhere" ? undefined : span;
}

const spans = new WeakMap<Skill, WeakMap<Edit, EditSpan | "nowhere">>();

/** Whether two edits change the same characters. Insertions at one place follow one another. */
export const meet = (a: EditSpan, b: EditSpan): boolean =>
  a.file === b.file && a.start < b.end && b.start < a.end;

/** Whether content follows words that another edit changes, without being among them. */
export function standsOn(content: EditSpan | undefined, changed: EditSpan | undefined): boolean {
  if (content?.anchor === undefined || changed === undefined || changed.start === changed.end) return false;
  return meet({ file: content.file, ...content.anchor }, changed) && !meet(content, changed);
}

/** The other rules that are never in one text with this rule because they change the same words of the base. */
export function exclusiveWith(rule: SearchRule, others: readonly SearchRule[], base: Skill): number[] {
  return others
    .filter((other) => (rule.number < other.number ? clash(rule, other, base) : clash(other, rule, base)))
    .map(({ number }) => number);
}

function clash(earlier: SearchRule, later: SearchRule, base: Skill): boolean {
  const [one, other] = [earlier.change, later.change];
  if (other.kind === "text") {
    if (other.region !== undefined) return one.kind === "text" && one.region === other.region;
    return ruleFile(earlier, base) === base.main && !other.holds.includes(earlier.number);
  }
  if (one.kind === "text") {
    // an edit after a complete new text needs its words there
    const isOnIt = one.region === undefined && ruleFile(later, base) === base.main;
    return isOnIt && spanIn(withMainText(base, one.text), other.edit) === undefined;
  }
  const [first, second] = [spanIn(base, one.edit), spanIn(base, other.edit)];
  return first !== undefined && second !== undefined && meet(first, second);
}
