import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { buildLeakIndex } from "../guard/leak-index.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { rewrite } from "./rewrite.ts";

const place = { role: "optimizer", step: 1, stage: "update" } as const;
const skill = singleFileSkill(
  "---\nname: s\n---\n# Skill\n\n<!-- whetstone:slow-update:start -->\nkeep\n<!-- whetstone:slow-update:end -->\n",
);
const edits = [{ op: "append" as const, content: "- new rule", evidence: [] }];
const secret = {
  id: "t",
  input: "How tall is it?",
  checks: [{ kind: "regex", value: "^exactly 4711 cubits tall$" }],
};
const guard = { skill, leaks: buildLeakIndex([secret]), contracts: [] };
const run = async (text: string, settings = {}) => {
  const context = await scriptedContext(() => JSON.stringify({ new_skill: text }), settings);
  const { candidate, refused } = await rewrite(skill, edits, "", guard, place, context);
  return { text: mainText(candidate), refused };
};

test("a rewrite that keeps what is protected becomes the candidate", async () => {
  const written = mainText(skill).replace("# Skill\n", "# Skill\n\n- new rule\n");
  expect(await run(written)).toEqual({ text: written, refused: undefined });
});

test.each([
  ["frontmatter", mainText(skill).replace("name: s", "name: other")],
  ["protected region", mainText(skill).replace("keep", "changed")],
  ["protected region", "# Skill\n".replace("# Skill", mainText(skill).split("<!--")[0] ?? "")],
  ["hidden character", `${mainText(skill)}a\u200Bb\n`],
  ["check", `${mainText(skill)}- It is \`^exactly 4711 cubits tall$\`\n`],
])("one that breaks the %s is refused", async (word, text) => {
  const { text: kept, refused } = await run(text);
  expect(kept).toBe(mainText(skill));
  expect(refused).toContain(word);
});

test("one that is too long is refused", async () => {
  expect((await run(`${mainText(skill)}${"x".repeat(100)}`, { maxSkillLength: 100 })).refused).toContain(
    "100 are allowed",
  );
});

test("one that grows beyond the body's budget is refused with both numbers, one that shrinks is not", async () => {
  const grown = `${mainText(skill)}${"x".repeat(100)}\n`;
  expect((await run(grown, { tokenBudgets: { body: 40 } })).refused).toBe(
    "The body would have about 47 tokens, of at most 40.",
  );
  const shorter = mainText(skill).replace("# Skill", "# S");
  expect(await run(shorter, { tokenBudgets: { body: 1 } })).toEqual({ text: shorter, refused: undefined });
});

test("one that encodes bytes is refused", async () => {
  const plain = singleFileSkill("# Skill\n");
  const context = await scriptedContext(() =>
    JSON.stringify({ new_skill: "data:application/octet-stream;base64,eA==" }),
  );
  const { refused } = await rewrite(plain, edits, "", { ...guard, skill: plain }, place, context);
  expect(refused).toBe("the rewrite is no text");
});

test("without edits nobody is asked", async () => {
  const context = await scriptedContext(() => "");
  expect(await rewrite(skill, [], "", guard, place, context)).toEqual({ candidate: skill });
  expect(context.requests).toHaveLength(0);
});
