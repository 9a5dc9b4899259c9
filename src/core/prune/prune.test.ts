import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { findRules } from "./find-rules.ts";
import { pruneSentence, pruneVerdict } from "./prune-sentence.ts";
import { pruneSkill } from "./prune.ts";

const val = Array.from({ length: 20 }, (_, at) => ({
  id: `t${at}`,
  input: `Word ${at % 2}, question ${at}?`,
  answers: [`yes${at % 2}`],
}));
const useful = ["- Word 0 is yes0.", "- Word 1 is yes1."];

/** A target that knows a word when the skill tells it. */
const obedient = () =>
  scriptedContext(({ system = "", messages }) => {
    const word = /Word (\d)/.exec(messages.at(-1)?.content ?? "")?.[1] ?? "";
    return system.includes(`Word ${word} is yes${word}.`) ? `yes${word}` : "no";
  });

test("of many rules, groups go first: fewer rollouts than rules × val × trials", async () => {
  const idle = Array.from({ length: 62 }, (_, at) => `- Idle remark number ${at}.`);
  const lines = idle.toSpliced(10, 0, useful[0] ?? "").toSpliced(50, 0, useful[1] ?? "");
  const skill = singleFileSkill(`# Words\n\n${lines.join("\n")}\n`);
  const rules = findRules(skill);
  expect(rules).toHaveLength(64);
  const context = await obedient();
  const result = await pruneSkill({ skill, rules, val, test: [], margin: 0.1, shorten: false }, context);
  expect(result.table.filter(({ fate }) => fate === "kept").map(({ text }) => text)).toEqual(useful);
  expect(result.table.find(({ rule }) => rule === "SKILL.md:3")?.together).toHaveLength(3);
  expect(pruneVerdict(result)).toBe("not-tested");
  expect(context.requests.length).toBeLessThan(64 * 20);
});

test("where every rule is needed, nothing is proposed and nothing more is drawn", async () => {
  const skill = singleFileSkill(`${useful.join("\n")}\n`);
  const context = await obedient();
  const result = await pruneSkill(
    { skill, rules: findRules(skill), val, test: [], margin: 0.1, shorten: false },
    context,
  );
  expect(result.best).toBe(skill);
  expect(pruneSentence(result)).toBe(
    "Every rule is needed: without 2 of them the score falls. Nothing is proposed.",
  );
  // the whole skill, and each rule's absence: the first look is enough
  expect(context.requests).toHaveLength(3 * 20);
});
