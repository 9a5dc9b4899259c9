import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guessSkill, guessTasks } from "./guess.ts";
import { tempDir } from "../../test/support/temp-dir.ts";

test("a SKILL.md with files of its own beside it means the folder, alone it means the file", async () => {
  const whole = await tempDir({ "SKILL.md": "x", "references/a.md": "y" });
  expect(guessSkill(whole)).toBe(whole);
  const alone = await tempDir({ "SKILL.md": "x", "docs/a.md": "y", "AGENTS.md": "z" });
  expect(guessSkill(alone)).toBe(join(alone, "SKILL.md"));
  expect(guessSkill(await tempDir({ "scripts/a.sh": "x" }))).toBeUndefined();
});

test("a promptfoo config is a set of tasks, after what is named like one", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": "x" });
  expect(guessTasks(dir, undefined)).toBe(join(dir, "promptfooconfig.yaml"));
  const both = await tempDir({ "promptfooconfig.yaml": "x", "evals/evals.json": "{}" });
  expect(guessTasks(both, both)).toBe(join(both, "evals"));
});

test("the tasks of a skill folder that is a link are those where it leads", async () => {
  const dir = await tempDir({ "mine/notes/evals/evals.json": "{}", "project/x": "" });
  await symlink(join(dir, "mine/notes"), join(dir, "project/notes"));
  expect(guessTasks(join(dir, "project"), join(dir, "project/notes"))).toBe(join(dir, "mine/notes/evals"));
});
