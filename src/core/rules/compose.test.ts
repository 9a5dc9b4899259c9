import { expect, test } from "vitest";
import type { Edit } from "../skill/edit.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { seededRandom, shuffle } from "../random.ts";
import { compose, exclusiveWith } from "./compose.ts";
import type { SearchRule } from "./search-rule.ts";

const base = singleFileSkill("# Desk\n\n- Be brief.\n- Greet people.\n");
const rule = (number: number, edit: Omit<Edit, "evidence">): SearchRule => ({
  number,
  step: 1,
  change: { kind: "edit", edit: { ...edit, evidence: [] } },
  evidence: [],
});
const text = (rules: readonly SearchRule[]) => mainText(compose(base, rules).skill);

const dates = rule(1, { op: "append", content: "- Write dates as 2026-01-31." });
const euros = rule(2, { op: "append", content: "- Name sums in euros." });
const longer = rule(3, { op: "replace", target: "Be brief.", content: "Take three sentences." });
const shorter = rule(4, { op: "replace", target: "Be brief.", content: "One sentence." });
const times = rule(5, { op: "replace", target: "as 2026-01-31", content: "and times by ISO 8601" });
const rewritten: SearchRule = {
  number: 6,
  step: 2,
  change: { kind: "text", text: "# Desk, anew\n\n- Write dates as 2026-01-31.\n", holds: [1] },
  evidence: [],
};
const guided = (number: number, body: string): SearchRule => ({
  number,
  step: 2,
  change: { kind: "text", region: "slow-update", text: body, holds: [] },
  evidence: [],
});

test("no rule gives the base, byte for byte", () => {
  expect(compose(base, [])).toEqual({ skill: base, held: [] });
});

test("the order in which rules are given does not matter", () => {
  const all = [dates, euros, longer, times, guided(7, "Look twice.")];
  const expected = compose(base, all);
  for (let seed = 0; seed < 20; seed += 1)
    expect(compose(base, shuffle(all, seededRandom("order", seed)))).toEqual(expected);
  expect(expected.held).toEqual([1, 2, 3, 5, 7]);
});

const exclusive = (one: SearchRule, others: readonly SearchRule[], beside: readonly SearchRule[] = []) =>
  exclusiveWith(one, others, { base, beside, limits: {} });

test("of two rules that change the same words one is in the text", () => {
  expect(compose(base, [longer, shorter]).held).toEqual([3]);
  expect(exclusive(shorter, [dates, euros, longer])).toEqual([3]);
  expect(exclusive(longer, [dates, euros, shorter], [dates])).toEqual([4]);
});

test("a rule that changes another's words is in only with it", () => {
  expect(compose(base, [times]).held).toEqual([]);
  expect(compose(base, [dates, times]).held).toEqual([1, 5]);
  expect(text([dates, times])).toContain("- Write dates and times by ISO 8601.");
  expect(exclusive(times, [dates, euros], [dates])).toEqual([]);
});

test("a text written anew holds what it was made of, and later rules stand on it", () => {
  const later = rule(8, { op: "append", content: "- Sign." });
  expect(compose(base, [euros, longer, rewritten, later]).held).toEqual([1, 6, 8]);
  expect(text([euros, longer, rewritten, later])).not.toContain("euros");
  expect(exclusive(rewritten, [dates, euros, longer], [dates])).toEqual([2, 3]);
});

test("of two guidances the later one stands", () => {
  const composed = compose(base, [dates, guided(6, "First."), guided(7, "Second.")]);
  expect(composed.held).toEqual([1, 7]);
  expect(mainText(composed.skill)).not.toContain("First.");
});

test("a rule that would make the skill too long is not in the text", () => {
  const limits = { maxSkillLength: mainText(base).length + 40 };
  expect(compose(base, [dates, euros], limits).held).toEqual([1]);
});
