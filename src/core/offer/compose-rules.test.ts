import { expect, test } from "vitest";
import { foundRules, originalDesk, trainedDesk } from "../../../test/support/measured-rules.ts";
import { findRules } from "../rules/prune/find-rules.ts";
import { removeRules } from "../rules/prune/remove-rules.ts";
import { type Rule, readRule } from "../rules/rule.ts";
import { expectedScore } from "../rules/searched-rules.ts";
import { mainText } from "../skill/skill.ts";
import { composeRules } from "./compose-rules.ts";
import { makeProposal, parseProposal } from "./proposal.ts";

const { offered, baseline } = foundRules;
const named = (...ids: readonly string[]) => offered.filter(({ id }) => ids.includes(id));
const lost = (rules: readonly Rule[], all = offered) =>
  composeRules(originalDesk, rules, all).unmatched.map(({ rule }) => rule.id);

test("all rules are the whole, as the search left it", () => {
  expect(composeRules(originalDesk, offered, offered)).toEqual({ skill: trainedDesk, unmatched: [] });
  expect(expectedScore(baseline, offered)).toBeGreaterThan(baseline);
});

test("a part is composed of its rules alone", () => {
  const text = mainText(composeRules(originalDesk, named("3", "9"), offered).skill);
  expect(text).toContain("at most three sentences");
  expect(text).not.toContain("dates");
});

test("a rule that changes another's words does not stand without it", () => {
  expect(lost(named("3", "6", "7", "9"))).toEqual(["7"]);
  expect(lost(named("1"))).toEqual([]);
});

test("a text that contains a rule goes with it", () => {
  const [first] = offered as readonly [Rule];
  const rewrite: Rule = {
    ...first,
    id: "10",
    edit: { kind: "text", text: "# Again\n\n- Bees: A-123.\n", holds: [2, 9] },
  };
  const all = [...offered, rewrite];
  expect(lost([...named("1", "3", "6", "7"), rewrite], all)).toEqual(["10"]);
  expect(lost([...named("9"), rewrite], all)).toEqual([]);
});

test("what a pruning found is removed where it was", () => {
  const found = findRules(trainedDesk);
  const last = found.slice(-2);
  expect(last).toHaveLength(2);
  const [first] = offered as readonly [Rule];
  const both = last.map(
    ({ id, file, start, end, region }): Rule => ({
      ...first,
      id,
      origin: "found",
      edit: { kind: "found", file, start, end, region },
    }),
  );
  expect(composeRules(trainedDesk, both, both).skill).toEqual(removeRules(trainedDesk, last));
  // an older version could give a part shorter words: that is no removal
  const [rule] = both as [Rule];
  const older = (text: string) => readRule({ ...rule, edit: { ...rule.edit, text } });
  expect(older("").edit).toMatchObject({ kind: "found" });
  expect(() => older("- Short.")).toThrow("This isn't a version 1 rule");
});

test("a proposal carries the rules, and loses them where they do not make up its text", () => {
  const input = { run: "run1", original: originalDesk, best: trainedDesk, rules: offered, baseline };
  const proposal = makeProposal(input);
  expect(proposal.rules?.map(({ id }) => id)).toEqual(["1", "3", "6", "7", "9"]);
  expect(parseProposal(JSON.stringify(proposal))).toEqual(JSON.parse(JSON.stringify(proposal)));
  expect(makeProposal({ ...input, best: originalDesk }).rules).toBeUndefined();
});
