import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../config/temp-dir-for-test.ts";
import { type Finding, diagnose } from "./doctor.ts";

async function aboutSkill(files: Readonly<Record<string, string>>): Promise<readonly Finding[]> {
  const cwd = await tempDir(files);
  const found: Finding[] = [];
  const options = { cwd, call: false, signal: new AbortController().signal };
  for await (const finding of diagnose({ skill: join(cwd, "forms") }, options)) found.push(finding);
  return found.filter(({ about }) => about === "skill");
}

test("the skill is counted, and what is odd about it is a warning of its own", async () => {
  const files = {
    "forms/SKILL.md": "---\nname: other\ndescription: Fills <forms>.\n---\n# Forms\n",
    "forms/references/codes.md": "A is 1\n",
  };
  expect(await aboutSkill(files)).toMatchObject([
    { status: "ok", text: expect.stringMatching(/forms with 2 files$/) },
    { status: "warn", text: expect.stringContaining('"other"'), next: "Rename the one or the other." },
    { status: "warn", text: expect.stringContaining("< or >"), next: "Write it without them." },
  ]);
});

test("a skill that no agent would load fails with the way to mend it", async () => {
  expect(await aboutSkill({ "forms/SKILL.md": "---\nname: Forms\ndescription: x\n---\n" })).toEqual([
    {
      about: "skill",
      status: "fail",
      text: 'The name "Forms" in SKILL.md is not valid.',
      next: "Use at most 64 lowercase letters, digits and single hyphens between them.",
    },
  ]);
});
