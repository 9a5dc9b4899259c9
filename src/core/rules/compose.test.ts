import { expect, test } from "vitest";
import type { Edit } from "../skill/edit.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { seededRandom, shuffle } from "../random.ts";
import { compose } from "./compose.ts";
import { exclusiveWith } from "./rule-spans.ts";
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

const exclusive = (one: SearchRule, others: readonly SearchRule[]) => exclusiveWith(one, others, base);

test("of two rules that change the same words one is in the text", () => {
  expect(compose(base, [longer, shorter]).held).toEqual([3]);
  expect(exclusive(shorter, [dates, euros, longer])).toEqual([3]);
  expect(exclusive(longer, [dates, euros, shorter])).toEqual([4]);
});

const inserted = (number: number, target: string, content: string) =>
  rule(number, { op: "insert_after", target, content });

test("two small changes of one line are both in the text, also where one repeats a word of the other", () => {
  const less = rule(8, { op: "replace", target: "brief", content: "Be short, be brief" });
  const stay = rule(9, { op: "replace", target: "Be", content: "Stay" });
  expect(exclusive(stay, [less])).toEqual([]);
  expect(compose(base, [less, stay]).held).toEqual([8, 9]);
  expect(text([less, stay])).toContain("- Stay Be short, be brief.\n- Greet people.");
});

test("what is put behind words that another rule changes stays at its place, whichever came first", () => {
  const gone = rule(8, { op: "delete", target: "- Be brief." });
  for (const number of [2, 9]) {
    const sign = inserted(number, "- Be brief.", "- Sign.");
    expect(exclusive(sign, [gone, longer])).toEqual([]);
    expect(text([sign, gone])).toBe("# Desk\n\n- Sign.\n- Greet people.\n");
    expect(text([sign, longer])).toBe("# Desk\n\n- Take three sentences.\n- Sign.\n- Greet people.\n");
  }
});

test("what is put inside words that another rule takes away clashes with it", () => {
  const both = rule(8, { op: "delete", target: "- Be brief.\n- Greet people." });
  const between = inserted(9, "Be brief.", "- Sign.");
  const behind = inserted(10, "Greet people.", "- Sign off.");
  expect(exclusive(both, [between, behind])).toEqual([9]);
  expect(compose(base, [both, between, behind])).toMatchObject({ held: [8, 10] });
});

test("what is put at one place stands one behind the other, also behind an anchor of many lines", () => {
  const lines = inserted(8, "- Be brief.\n- Greet people.", "- Sign off.");
  const sign = inserted(2, "Be brief.", "- Sign.");
  expect(exclusive(lines, [sign])).toEqual([]);
  expect(text([sign, lines])).toBe("# Desk\n\n- Be brief.\n- Sign.\n- Greet people.\n- Sign off.\n");
});

test("what follows another rule's words goes to the end without it", () => {
  const sign = inserted(8, "- Write dates as 2026-01-31.", "- Sign.");
  expect(text([dates, euros, sign])).toContain("- Write dates as 2026-01-31.\n- Sign.\n- Name sums");
  expect(text([euros, sign])).toContain("- Name sums in euros.\n- Sign.\n");
});

test("a rule that changes another's words is in only with it", () => {
  expect(compose(base, [times]).held).toEqual([]);
  expect(compose(base, [dates, times]).held).toEqual([1, 5]);
  expect(text([dates, times])).toContain("- Write dates and times by ISO 8601.");
  expect(exclusive(times, [dates, euros])).toEqual([]);
});

test("a text written anew holds what it was made of, and later rules stand on it", () => {
  const later = rule(8, { op: "append", content: "- Sign." });
  expect(compose(base, [euros, longer, rewritten, later]).held).toEqual([1, 6, 8]);
  expect(text([euros, longer, rewritten, later])).not.toContain("euros");
  expect(exclusive(rewritten, [dates, euros, longer])).toEqual([2, 3]);
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

test("one more rule reads the base as often in a pool of a thousand as in one of ten", () => {
  const readsFor = (size: number) => {
    let reads = 0;
    const counted = {
      main: base.main,
      get files() {
        reads += 1;
        return base.files;
      },
    };
    const pool = Array.from({ length: size }, (_, at) =>
      at % 3 === 0
        ? inserted(at + 1, "- Be brief.", `- Name queue ${at}.`)
        : rule(at + 1, { op: "append", content: `- Name kind ${at}.` }),
    );
    for (const one of pool) exclusiveWith(one, pool.slice(0, 3), counted);
    const before = reads;
    const clashing = [shorter, longer].map((one) => exclusiveWith({ ...one, number: 5000 }, pool, counted));
    expect(clashing).toEqual([[], []]);
    return reads - before;
  };
  expect(readsFor(1000)).toBe(readsFor(10));
  expect(readsFor(1000)).toBeLessThan(5);
});
