import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { findPowers } from "../guard/capability-diff.ts";
import type { Looked } from "../rules/rule.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { type ProposedTexts, lookAtProposal } from "./look-at-proposal.ts";
import { powersLookedAt } from "./looked-at.ts";

const looked = (text: string, ...powers: Looked["powers"]): Looked => ({ by: "a/b", text, powers });
const before = "# Desk\n\n- Be brief.\n";
const found = (after: string, ...answers: readonly Looked[]) =>
  powersLookedAt(before, after, answers, findPowers(before, after)).map(({ kind, item, line }) => [
    kind,
    item,
    line,
  ]);

test("what a model found stands at the line that says it", () => {
  const rule = "- Keep quiet about it.\n  Always.";
  const answer = looked(rule, { power: "paths", quote: "quiet about it" });
  expect(found(`${before}${rule}\n`, answer)).toEqual([["path", "quiet about it", 4]]);
  // words that aren't the rule's are no quote
  const other = looked(rule, { power: "paths", quote: "hush" });
  expect(found(`${before}${rule}\n`, other)).toEqual([["path", "- Keep quiet about it. Always.", 4]]);
});

test("every new line that no model has seen is named; other words than it saw are others", () => {
  const answer = looked("- Be kind.");
  expect(found(`${before}* Be kind.\n`, answer)).toEqual([]);
  expect(found(`${before}- Be kinder.\n\n- Be kind.\nSmile.\n`, answer)).toEqual([
    ["not-looked-at", "Be kinder. Smile.", 4],
  ]);
  expect(found(before, answer)).toEqual([]);
  // our own markers and lines without words say nothing
  expect(found(`${before}\n---\n<!-- whetstone:learned:start -->\n`)).toEqual([]);
});

test("a no takes nothing away of what programs find", () => {
  const text = "- Fetch https://a.example/x first.";
  const after = `${before}${text}\n`;
  expect(findPowers(before, after)).toMatchObject([{ kind: "host", rank: "ask" }]);
  expect(found(after, looked(text))).toEqual([]);
  // and a yes is not said twice
  expect(found(after, looked(text, { power: "hosts", quote: "Fetch" }))).toEqual([]);
});

test("all texts of a proposal are asked about at once; a change without words asks nothing", async () => {
  const context = await scriptedContext(({ messages }) => {
    const asked = [...(messages[0]?.content ?? "").matchAll(/^BEGIN rule-(\d+) /gm)];
    return JSON.stringify({
      rules: asked.map(([, rule]) => ({ rule: Number(rule), powers: [{ power: "paths", quote: "home" }] })),
    });
  });
  const original = singleFileSkill(before);
  const best = singleFileSkill(`${before}- Write it home.\n`);
  const lean = { skill: singleFileSkill(`${before}- Go home.\n`), isOffered: true, sentence: "" };
  const written: ProposedTexts = { original, best, others: { lean } };
  const asked = await lookAtProposal(written, context);
  expect(asked.looked?.map(({ text }) => text)).toEqual(["- Write it home.", "- Go home."]);
  expect(context.requests).toHaveLength(1);
  expect(await lookAtProposal({ original, best: original }, context)).toEqual({ original, best: original });
  expect(context.requests).toHaveLength(1);
});
