import { expect, test } from "vitest";
import { describeSkill } from "./describe-skill.ts";

const skill = {
  main: "SKILL.md",
  files: {
    "SKILL.md": "---\nname: a\ndescription: Does it.\n---\nx",
    "references/a.md": "y".repeat(3000),
    "assets/a.png": "data:application/octet-stream;base64,iVA=",
  },
};
const use = { skill, track: "body", isAgent: false, environment: "chat" } as const;

test("what the skill is, and where it really goes", () => {
  const main = skill.files["SKILL.md"].length;
  expect(describeSkill(use)).toMatch(/^SKILL\.md and 2 files, 3,1\d\d characters in every prompt$/);
  expect(describeSkill({ ...use, isAgent: true })).toBe(
    `SKILL.md and 2 files, ${(3000 + main).toLocaleString("en-US")} characters, installed for the agent to load`,
  );
  expect(describeSkill({ ...use, environment: "mine" })).toMatch(
    /^SKILL\.md and 2 files, [\d,]+ characters$/,
  );
  expect(describeSkill({ ...use, track: "description" })).toBe(
    "the description of SKILL.md, 8 characters in every prompt",
  );
  const memory = { main: "AGENTS.md", files: { "AGENTS.md": "Be kind." } };
  expect(describeSkill({ ...use, skill: memory })).toBe("AGENTS.md, 8 characters in every prompt");
  expect(describeSkill({ ...use, skill: memory, isAgent: true })).toBe(
    "AGENTS.md, 8 characters in the agent's standing instructions",
  );
});
