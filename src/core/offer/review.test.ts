import { expect, test } from "vitest";
import { taskEvidence } from "../../../test/support/task-evidence.ts";
import type { TaskEvidence } from "../rules/evidence/toss.ts";
import type { Rule } from "../rules/rule.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { composeRules, mergeRules } from "./compose-rules.ts";
import {
  type Decisions,
  type Review,
  decide,
  decisionsIn,
  findRule,
  labelRule,
  parseReview,
  withDecisions,
} from "./review.ts";

const rule = (id: string, status: Rule["status"], more: Partial<Rule> = {}): Rule => ({
  v: 1,
  id,
  text: `Rule ${id}.`,
  edit: { kind: "learned", op: "add", text: `Rule ${id}.` },
  origin: "proposed",
  evidence: [],
  status,
  label: status,
  tokens: 3,
  provenance: { conversations: [], tasks: [] },
  works: false,
  powers: [],
  ...more,
});

const review = (...rules: readonly Rule[]): Review => ({
  v: 1,
  id: "n1",
  night: "2026-10-03",
  stagedAt: 1,
  document: { id: "skill:pdf", kind: "skill", scope: "project", name: "pdf" },
  gate: "on",
  rules,
  rejected: [],
  state: "staged",
});

const taken = (...args: Parameters<typeof decide>) => decide(...args).rules.map(({ id }) => id);

test.each<[Parameters<typeof labelRule>[0], readonly TaskEvidence[], string]>([
  ["proven", taskEvidence(9, 1, 0), "proven (0 of 27 → 27 of 27 on 9 of your tasks)"],
  ["open", taskEvidence(4, 1, 0), "works on your tasks, not proven (0 of 12 → 12 of 12 on 4 of your tasks)"],
  ["open", taskEvidence(1, 1, 0), "promising, not proven (0 of 3 → 3 of 3 on 1 of your tasks)"],
  ["open", taskEvidence(1, 1, 1), "undecided, not proven (3 of 3 → 3 of 3 on 1 of your tasks)"],
  ["stated", [], "not measured"],
  ["stated", taskEvidence(1, 1, 0), "not proven (0 of 3 → 3 of 3 on 1 of your tasks)"],
  ["stated", taskEvidence(4, 1, 0), "works on your tasks (0 of 12 → 12 of 12 on 4 of your tasks)"],
  ["stated", taskEvidence(8, 1, 1), "no sign of an effect (24 of 24 → 24 of 24 on 8 of your tasks)"],
  ["stated", taskEvidence(4, 0, 1), "does harm (12 of 12 → 0 of 12 on 4 of your tasks)"],
  ["unverified", [], "unverified: the gate was off"],
])("%s with such evidence is called so", (status, evidence, label) => {
  expect(labelRule(status, evidence, true)).toBe(label);
});

test("without a word, proven and stated rules are taken; with `unproven` all of them; never a rejected one", () => {
  const all = review(rule("a", "proven"), rule("b", "open"), rule("c", "stated"), rule("d", "proven"));
  const d = { deed: "reject", reason: "No." } as const;
  expect(taken(all, { d })).toEqual(["a", "c"]);
  expect(taken(all, { d }, { unproven: true })).toEqual(["a", "b", "c"]);
  expect(taken(all, { a: { deed: "drop" }, d })).toEqual(["c"]);
  expect(taken(all, { d: { deed: "accept" } })).toEqual(["d"]);
});

test("together they are proven only when every one is, and the sentence counts them", () => {
  const all = review(rule("a", "proven"), rule("b", "stated"));
  expect(decide(all, {})).toMatchObject({
    proven: false,
    sentence: "2 rules: 1 proven; 1 asked for by you.",
  });
  expect(decide(all, { b: { deed: "drop" } })).toMatchObject({ proven: true, sentence: "1 rule: 1 proven." });
  expect(decide(review(), {})).toMatchObject({ proven: false, sentence: "No rule is included." });
});

test("an edited rule loses its verdict; one whose words stay keeps it", () => {
  const all = review(rule("a", "proven"));
  expect(decide(all, { a: { deed: "edit", text: "Another rule.\r\n" } })).toMatchObject({
    proven: false,
    rules: [
      {
        edit: { kind: "learned", op: "add", text: "Another rule." },
        status: "edited",
        label: "edited by you, not measured",
      },
    ],
  });
  expect(decide(all, { a: { deed: "edit", text: "- Rule a.\n" } })).toMatchObject({ proven: true });
});

test.each<[string, Partial<Rule>, string]>([
  ["empty", {}, " \n"],
  ["for a deletion", { edit: { kind: "learned", op: "delete", target: "x" } }, "text"],
])("an edit that is %s is refused", (_, more, text) => {
  expect(() => decide(review(rule("a", "proven", more)), { a: { deed: "edit", text } })).toThrow(
    /Rule a|rule a/,
  );
});

test("a rule is found by the beginning of its id, if one only fits", () => {
  const all = review(rule("ab1ab1ab1", "open"), rule("ab2ab2ab2", "open"), rule("31", "open"));
  expect(findRule(all, "ab2").id).toBe("ab2ab2ab2");
  expect(findRule(all, " 31 ").id).toBe("31");
  // numbers are whole names: who rejects rule 3 does not mean rule 31
  expect(() => findRule(all, "3")).toThrow('has no rule "3"');
  expect(() => findRule(all, "ab")).toThrow("matches 2 rules");
  expect(() => findRule(all, "x")).toThrow('has no rule "x"');
  expect(() => decide(all, { x: { deed: "drop" } })).toThrow('has no rule "x"');
});

test("words that a person wrote stay, and so does it that only named rules are meant, in any order", () => {
  const three = [rule("a", "proven"), rule("b", "proven"), rule("c", "proven")] as const;
  const edit = { deed: "edit", text: "Mine." } as const;
  const accept = { deed: "accept" } as const;
  const said = (decisions: readonly Decisions[]): readonly string[] => {
    const rules = decisions.reduce<readonly Rule[]>((now, next) => {
      const all = withDecisions({ rules: now }, next);
      return now.map((one) => ({ ...one, decision: all[one.id] }));
    }, three);
    return decide(review(...rules), decisionsIn({ rules })).rules.map(({ text }) => text);
  };
  expect(said([{ a: edit }])).toEqual(["Mine.", "Rule b.", "Rule c."]);
  expect(said([{ a: accept }, { a: edit }])).toEqual(["Mine."]);
  expect(said([{ a: edit }, { a: accept }])).toEqual(["Mine."]);
  expect(said([{ a: accept }, { a: edit }, { a: { ...edit, text: "Mine again." } }])).toEqual([
    "Mine again.",
  ]);
  expect(said([{ a: edit }, { b: accept }])).toEqual(["Mine.", "Rule b."]);
  expect(said([{ a: accept }, { b: accept }])).toEqual(["Rule b."]);
});

test("an edit with a hidden character is refused by its name", () => {
  const all = review(rule("a", "proven"));
  expect(() => decide(all, { a: { deed: "edit", text: "Be\u200B brief." } })).toThrow(
    "rule a has a hidden character",
  );
});

test("a review survives its text, and a broken text is a sentence", () => {
  const all = review(rule("a", "proven", { works: true, decision: { deed: "reject", reason: "No." } }));
  expect(parseReview(JSON.stringify(all))).toEqual(all);
  expect(parseReview("{")).toEqual(expect.stringContaining("JSON"));
  expect(parseReview(JSON.stringify({ ...all, state: "gone" }))).toEqual(expect.stringContaining("state"));
});

test("a document holds exactly the chosen rules; one that is there already is no change", () => {
  const { rules } = decide(review(rule("a", "proven"), rule("b", "proven")), {});
  const composed = composeRules(singleFileSkill("# A\n"), rules, rules);
  expect(mainText(composed.skill)).toBe(
    "# A\n\n<!-- whetstone:learned:start -->\n- Rule a.\n- Rule b.\n<!-- whetstone:learned:end -->\n",
  );
  expect(composed.unmatched).toEqual([]);
  expect(composeRules(composed.skill, rules, rules)).toEqual(composed);
});

test("in a text that changed, what does not fit any more is a conflict at the learned block", () => {
  const edit = { kind: "learned", op: "delete", target: "Gone." } as const;
  const { rules } = decide(review(rule("a", "proven", { edit })), {});
  const live = "# A\n\n<!-- whetstone:learned:start -->\n- Other.\n<!-- whetstone:learned:end -->\n";
  expect(mergeRules(live, rules)).toEqual({
    kind: "conflict",
    conflicts: [
      { line: 3, base: ["Gone."], live: [], proposed: [], reason: "the rule that it changes isn't there" },
    ],
  });
});
