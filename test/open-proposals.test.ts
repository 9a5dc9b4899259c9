import { expect, test } from "vitest";
import { growth } from "./support/growth.ts";
import { type NewEdit, openRules, startRules } from "../src/core/rules/rule-search.ts";
import type { SearchRule } from "../src/core/rules/search-rule.ts";
import { singleFileSkill } from "../src/core/skill/skill.ts";
import { openProposals } from "../src/core/loop/open-proposals.ts";

test("one more rule is opened in time that grows with the pool, and not faster", () => {
  const pools = new Map([250, 1000].map((size) => [size, poolOf(size)]));
  const openMore = (size: number) => {
    const standing = pools.get(size);
    if (standing === undefined) throw new Error("no pool");
    for (let nth = 1; nth <= 20; nth += 1) {
      const { change } = ruleOf(size + nth);
      const candidate = standing.current.skill;
      const opened = openProposals({
        changes: [change],
        on: [],
        step: 2,
        turn: 2,
        val: [],
        candidate,
        standing,
      });
      expect(opened.rules).toHaveLength(size + 1);
    }
  };
  expect(growth(openMore, 250)).toBeLessThan(8);
});

const ruleOf = (number: number): SearchRule => ({
  number,
  step: 1,
  change: {
    kind: "edit",
    edit: { op: "append", content: `- Parcel mark ${number * 7919} goes to bay ${number}.`, evidence: [] },
  },
  evidence: [],
});

function poolOf(size: number) {
  const base = singleFileSkill("# Desk\n\n- Weigh every parcel.\n");
  const rules = Array.from({ length: size }, (_, at) => ruleOf(at + 1));
  const edits = rules.map(({ number }): NewEdit => ({ rule: number, tokens: 12 }));
  const search = openRules(startRules({ tasks: 100, steps: 40, rollouts: 4000, texts: 8 }), edits);
  const known = { base, baseScore: 0.5, rules, repeated: [], search, results: [] };
  const current = { skill: base, score: 0.5, rules: [] };
  return { known, current, best: { ...current, step: 0 } };
}
