import { expect, test } from "vitest";
import { foundRules, originalDesk, trainedDesk } from "../../../test/support/measured-rules.ts";
import { makeProposal, parseProposal } from "../offer/proposal.ts";
import { mainText } from "../skill/skill.ts";
import { choosePart } from "./choose-part.ts";
import { expectedScore } from "./expected-score.ts";

const choose = (choice: Parameters<typeof choosePart>[2]) => choosePart(originalDesk, foundRules, choice);

test("without a choice it is the whole, as the search left it", () => {
  const { skill, held, lost, expected, whole } = choose({});
  expect(skill).toEqual(trainedDesk);
  expect({ held, lost }).toEqual({ held: [1, 3, 6, 7, 9], lost: [] });
  expect(expected).toBe(whole);
  expect(expected).toBeGreaterThan(foundRules.table.original);
});

test("a part is composed of its rules alone, and expected to score what the model adds up", () => {
  const { skill, held, expected } = choose({ accept: ["9", " 3"] });
  expect(held).toEqual([3, 9]);
  expect(mainText(skill)).toContain("at most three sentences");
  expect(mainText(skill)).not.toContain("dates");
  expect(expected).toBe(expectedScore(foundRules.table, [3, 9]));
});

test("a rule that changes another's words does not stand without it", () => {
  expect(choose({ drop: ["1"] })).toMatchObject({ held: [3, 6, 9], lost: [7] });
  expect(choose({ accept: ["1", "7"], drop: ["7"] })).toMatchObject({ held: [1], lost: [] });
});

test("a text that holds a rule goes with it", () => {
  const rewrite = {
    number: 10,
    step: 4,
    change: { kind: "text" as const, text: "# Anew\n\n- Bees: A-123.\n", holds: [2, 9] },
    evidence: [],
  };
  const found = { ...foundRules, kept: [...foundRules.kept, rewrite] };
  expect(choosePart(originalDesk, found, { drop: ["9"] })).toMatchObject({
    held: [1, 3, 6, 7],
    lost: [10],
  });
  expect(choosePart(originalDesk, found, { accept: ["9", "10"] }).held).toEqual([2, 9, 10]);
});

test.each([["2"], ["12"], ["one"], [""]])("%j is no rule of the proposal", (name) => {
  expect(() => choose({ drop: [name] })).toThrow(`There is no rule "${name}"`);
});

test("of a run that keeps no rule none is named", () => {
  const none = { ...foundRules, kept: [] };
  expect(() => choosePart(originalDesk, none, { drop: ["1"] })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("It keeps no rule.") }),
  );
});

test("a proposal carries the kept rules, and loses them where they do not make up its text", () => {
  const input = { run: "run1", original: originalDesk, best: trainedDesk, rules: foundRules };
  const proposal = makeProposal(input);
  expect(proposal.rules?.table.rules.map(({ rule }) => rule)).toEqual([1, 3, 6, 7, 9]);
  expect(parseProposal(JSON.stringify(proposal))).toEqual(proposal);
  expect(makeProposal({ ...input, best: originalDesk }).rules).toBeUndefined();
});
