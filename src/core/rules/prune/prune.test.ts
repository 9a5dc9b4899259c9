import { expect, test } from "vitest";
import { scriptedContext } from "../../../../test/support/scripted-context.ts";
import { singleFileSkill } from "../../skill/skill.ts";
import { findRules } from "./find-rules.ts";
import { pruneSentence, pruneVerdict } from "./prune-sentence.ts";
import { pruneSkill } from "./prune.ts";
import { passesFor } from "./sift-rules.ts";

const val = Array.from({ length: 20 }, (_, at) => ({
  id: `t${at}`,
  input: `Word ${at % 2}, question ${at}?`,
  answers: [`yes${at % 2}`],
}));
const useful = ["- Word 0 is yes0.", "- Word 1 is yes1."];

/** A target that knows a word when the skill tells it, and answers the same every time. */
const obedient = () =>
  scriptedContext(({ system = "", messages }) => {
    const word = /Word (\d)/.exec(messages.at(-1)?.content ?? "")?.[1] ?? "";
    return system.includes(`Word ${word} is yes${word}.`) ? `yes${word}` : "no";
  });

test("of many rules, all are tried at once: fewer rollouts than rules × val", async () => {
  const idle = Array.from({ length: 62 }, (_, at) => `- Idle remark number ${at}.`);
  const lines = idle.toSpliced(10, 0, useful[0] ?? "").toSpliced(50, 0, useful[1] ?? "");
  const skill = singleFileSkill(`# Words\n\n${lines.join("\n")}\n`);
  const rules = findRules(skill);
  expect(rules).toHaveLength(64);
  const context = await obedient();
  const result = await pruneSkill({ skill, rules, val, test: [], margin: 0.1 }, context);
  expect(result.table.filter(({ fate }) => fate === "kept").map(({ text }) => text)).toEqual(useful);
  expect(result.flipRate).toBeLessThan(0.02);
  expect(pruneVerdict(result)).toBe("not-tested");
  expect(context.requests.length).toBeLessThan(64 * 20);
  const [helpful, remark] = [useful[0], idle[0]].map((text) => result.table.find((row) => row.text === text));
  // half of the tasks fail without it
  expect(helpful?.worth).toBeGreaterThan(0.4);
  expect(helpful?.worth).toBeLessThan(0.7);
  expect(helpful?.low).toBeGreaterThan(0);
  expect(remark?.low).toBeLessThan(0);
  expect(remark?.high).toBeGreaterThan(0);
});

test("where every rule is needed, nothing is proposed and nothing more is drawn", async () => {
  const skill = singleFileSkill(`${useful.join("\n")}\n`);
  const context = await obedient();
  const result = await pruneSkill({ skill, rules: findRules(skill), val, test: [], margin: 0.1 }, context);
  expect(result.best).toBe(skill);
  expect(pruneSentence(result)).toBe(
    "Every rule is needed: without any of the 2 some task fails. Nothing is proposed.",
  );
  // as soon as both are surely needed, no more passes
  expect(context.requests.length).toBeLessThanOrEqual((passesFor(20) / 2) * 20);
});

test("few distinct texts a pass, as many as asked for", async () => {
  const skill = singleFileSkill(`${Array.from({ length: 8 }, (_, at) => `- Remark ${at}.`).join("\n")}\n`);
  for (const texts of [2, 0]) {
    const context = await obedient();
    const input = { skill, rules: findRules(skill), val, test: [], margin: 0.01 };
    await pruneSkill(input, { ...context, settings: { ...context.settings, texts } });
    const first = new Set(context.requests.slice(0, 20).map(({ system }) => system));
    if (texts === 2) expect(first.size).toBe(2);
    else expect(first.size).toBeGreaterThan(8);
  }
});
