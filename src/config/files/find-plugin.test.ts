import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { findPlugin } from "./find-plugin.ts";

const skill = "---\nname: a\ndescription: Use when asked.\n---\n\nGo.\n";
const manifest = ".claude-plugin/plugin.json";

test("a plugin is its one skill and its evals, wherever the manifest says that they are", async () => {
  const plugin = await tempDir({
    [manifest]: '{ "name": "p", "skills": "./abilities", "experimental": { "evals": "checks" } }',
    "abilities/a/SKILL.md": skill,
    "checks/one/prompt.md": "Go.",
  });
  expect(findPlugin(plugin)).toEqual({ skill: join(plugin, "abilities/a"), tasks: join(plugin, "checks") });
});

test("one with several skills, or none, is told what to type", async () => {
  const files = { [manifest]: "{}", "evals/one/prompt.md": "Go." };
  const two = await tempDir({ ...files, "skills/a/SKILL.md": skill, "skills/b/SKILL.md": skill });
  expect(() => findPlugin(two)).toThrow("contains 2 skills, but only one can be measured at a time");
  const none = await tempDir(files);
  expect(() => findPlugin(none)).toThrow("contains no skills");
});

test("an Agent Skill, a project and a plugin without evals are none", async () => {
  expect(findPlugin(await tempDir({ "SKILL.md": skill, "evals/evals.json": "{}" }))).toBeUndefined();
  expect(findPlugin(await tempDir({ "skills/a/SKILL.md": skill }))).toBeUndefined();
  expect(findPlugin(await tempDir({ "package.json": "{}" }))).toBeUndefined();
});
