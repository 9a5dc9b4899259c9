import { expect, test } from "vitest";
import { applyEdit } from "./apply-edits.ts";
import { findFullSkill } from "./full-skill.ts";
import { singleFileSkill } from "./skill.ts";
import { type TokenBudgets, findFileOverrun, findTightFiles } from "./token-budgets.ts";

const skill = {
  main: "SKILL.md",
  files: {
    "SKILL.md": `---\nname: a\ndescription: ${"d".repeat(400)}\n---\n${"b".repeat(80)}\n`,
    "references/long.md": "r".repeat(400),
    "references/short.md": "r\n",
    "run.sh": "s".repeat(80),
  },
};
const budgets = { body: 30, reference: 50, script: 20 };
const append = (file: string, length: number) =>
  applyEdit(
    skill,
    { op: "append", file, content: "x".repeat(length), evidence: [] },
    { tokenBudgets: budgets, allowScripts: true },
  ).report;

test("growth beyond a surface's budget is refused with both numbers, each file on its own", () => {
  expect(append("SKILL.md", 100)).toMatchObject({
    status: "refused_too_large",
    detail: "The body would have about 46 tokens, of at most 30.",
  });
  expect(append("references/short.md", 220)).toMatchObject({
    status: "refused_too_large",
    detail: "The reference would have about 56 tokens, of at most 50.",
  });
  expect(append("run.sh", 1)).toMatchObject({ status: "refused_too_large", file: "run.sh" });
  expect(append("references/short.md", 100).applied).toBe(true);
  // the frontmatter is no part of the body
  expect(append("SKILL.md", 20).applied).toBe(true);
});

test("what is above its budget may shrink or stay, not grow", () => {
  const edited = (target: string, content: string) =>
    applyEdit(
      singleFileSkill("word ".repeat(40) + "end"),
      { op: "replace", target, content, evidence: [] },
      { tokenBudgets: { body: 10 } },
    ).report.status;
  expect(edited("word end", "end")).toBe("applied_replace");
  expect(edited("word end", "work end")).toBe("applied_replace");
  expect(edited("word end", "word and a new end")).toBe("refused_too_large");
});

test("a budget holds for a description too, and none for what has none", () => {
  const described = singleFileSkill("a", "description");
  const grownTo = (length: number, some: TokenBudgets) =>
    findFileOverrun(described, "description", "a".repeat(length), some);
  expect(grownTo(41, { description: 10 })).toBe("The description would have about 11 tokens, of at most 10.");
  expect(grownTo(4000, { body: 10 })).toBeUndefined();
});

test("files without room are named before a run, with the setting that would help", () => {
  expect(findTightFiles(skill, budgets).map(({ path }) => path)).toEqual(["references/long.md", "run.sh"]);
  expect(findFullSkill(skill, { tokenBudgets: budgets, maxSkillLength: 500 })).toEqual([
    {
      level: "warning",
      message: "references/long.md has about 100 tokens and its budget is 50, so edits can't make it longer.",
      hint: "Shorten it, or raise `tokenBudgets.reference` in the config.",
    },
    expect.objectContaining({ hint: "Shorten it, or raise `tokenBudgets.script` in the config." }),
    expect.objectContaining({ hint: "Shorten them, or raise `maxSkillLength` in the config." }),
  ]);
});
