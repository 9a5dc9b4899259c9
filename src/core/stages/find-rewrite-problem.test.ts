import { expect, test } from "vitest";
import { buildLeakIndex } from "../guard/leak-index.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { findRewriteProblem } from "./find-rewrite-problem.ts";

const skill = singleFileSkill(
  "---\nname: s\n---\n# Skill\n\n<!-- whetstone:slow-update:start -->\nkeep\n<!-- whetstone:slow-update:end -->\n",
);
const secret = {
  id: "t",
  input: "How tall is it?",
  checks: [{ kind: "regex", value: "^exactly 4711 cubits tall$" }],
};
const guard = { skill, leaks: buildLeakIndex([secret]), contracts: [] };
const usual = { maxSkillLength: 60_000, tokenBudgets: { body: 5000 }, track: "body" } as const;
const problem = (text: string, settings = {}) =>
  findRewriteProblem(skill, text, guard, { ...usual, ...settings });

test("a rewrite that keeps what is protected has no problem", () => {
  expect(problem(mainText(skill).replace("# Skill\n", "# Skill\n\n- new rule\n"))).toBeUndefined();
});

test.each([
  ["frontmatter", mainText(skill).replace("name: s", "name: other")],
  ["protected region", mainText(skill).replace("keep", "changed")],
  ["protected region", "# Skill\n".replace("# Skill", mainText(skill).split("<!--")[0] ?? "")],
  ["hidden character", `${mainText(skill)}a\u200Bb\n`],
  ["check", `${mainText(skill)}- It is \`^exactly 4711 cubits tall$\`\n`],
])("one that breaks the %s is refused", (word, text) => {
  expect(problem(text)).toContain(word);
});

test("one that is too long is refused", () => {
  expect(problem(`${mainText(skill)}${"x".repeat(100)}`, { maxSkillLength: 100 })).toContain(
    "100 are allowed",
  );
});

test("one that grows beyond the body's budget is refused with both numbers, one that shrinks is not", () => {
  const grown = `${mainText(skill)}${"x".repeat(100)}\n`;
  expect(problem(grown, { tokenBudgets: { body: 40 } })).toBe(
    "The body would have about 47 tokens, of at most 40.",
  );
  expect(problem(mainText(skill).replace("# Skill", "# S"), { tokenBudgets: { body: 1 } })).toBeUndefined();
});

test("one that encodes bytes is refused", () => {
  const plain = singleFileSkill("# Skill\n");
  const bytes = "data:application/octet-stream;base64,eA==";
  expect(findRewriteProblem(plain, bytes, { ...guard, skill: plain }, usual)).toBe("the rewrite isn't text");
});
