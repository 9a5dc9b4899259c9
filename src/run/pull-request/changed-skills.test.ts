import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn, makeRepository } from "../../../test/support/repository.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { changedSkills } from "./changed-skills.ts";
import { configForSkill, nearestConfig } from "./own-config.ts";

const globs = ["**/SKILL.md"];

test("skills whose text, links or folder a branch changes, with those that come and go", async () => {
  const cwd = await tempDir();
  const [base = ""] = makeRepository(cwd, [
    {
      "skills/a/SKILL.md": "A",
      "skills/b/SKILL.md": "B",
      "skills/b/references/more.md": "More",
      "skills/c/SKILL.md": "C",
      "skills/gone/SKILL.md": "G",
      "README.md": "R",
    },
    {
      "skills/b/references/more.md": "Much more",
      "skills/new/SKILL.md": "N",
      "skills/gone/SKILL.md": null,
      "README.md": "R2",
    },
  ]);
  await writeFile(join(cwd, "skills/a/SKILL.md"), "not committed yet");
  expect(await changedSkills({ cwd, base: "HEAD~1", globs })).toEqual({
    base,
    skills: [
      { path: "skills/a", change: "changed" },
      { path: "skills/b", change: "changed" },
      { path: "skills/gone/SKILL.md", change: "removed" },
      { path: "skills/new", change: "added" },
    ],
  });
  const below = await changedSkills({ cwd: join(cwd, "skills"), base, globs });
  expect(below.skills.map(({ path }) => path)).toEqual(["a", "b", "gone/SKILL.md", "new"]);
});

test("a skill that the command is started in has what lies below it, but for other skills there", async () => {
  const cwd = await tempDir();
  makeRepository(cwd, [
    {
      "office/SKILL.md": "Office",
      "office/references/more.md": "More",
      "office/inner/SKILL.md": "Inner",
      "office/inner/references/more.md": "More",
      "office/assets/new/SKILL.md": "A template",
      "office/assets/new/references/more.md": "More",
    },
    { "office/references/more.md": "Much more" },
    { "office/inner/references/more.md": "Much more" },
    { "office/assets/new/references/more.md": "Much more" },
  ]);
  const changedBy = async (commit: string) => {
    gitIn(cwd)("checkout", "--quiet", commit);
    const { skills } = await changedSkills({ cwd: join(cwd, "office"), base: "HEAD~1", globs });
    return skills.map(({ path }) => path);
  };
  expect(await changedBy("main~2")).toEqual(["."]);
  expect(await changedBy("main~1")).toEqual(["inner"]);
  expect(await changedBy("main")).toEqual([".", "assets/new"]);
});

test("what the base branch changed meanwhile is not this branch's doing", async () => {
  const cwd = await tempDir();
  const [first = ""] = makeRepository(cwd, [{ "skills/a/SKILL.md": "A", "skills/b/SKILL.md": "B" }]);
  const git = gitIn(cwd);
  git("checkout", "--quiet", "-b", "mine");
  await writeFile(join(cwd, "skills/a/SKILL.md"), "A2");
  git("commit", "--quiet", "--all", "--message", "mine");
  git("checkout", "--quiet", "main");
  await writeFile(join(cwd, "skills/b/SKILL.md"), "B2");
  git("commit", "--quiet", "--all", "--message", "theirs");
  git("checkout", "--quiet", "mine");
  expect(await changedSkills({ cwd, base: "main", globs })).toEqual({
    base: first,
    skills: [{ path: "skills/a", change: "changed" }],
  });
  await expect(changedSkills({ cwd, base: "nowhere", globs })).rejects.toThrow(
    "Git can't find a commit nowhere here, or origin/nowhere.",
  );
});

test("a program that the checkout's settings name isn't run", async () => {
  const cwd = await tempDir();
  makeRepository(cwd, [{ "skills/a/SKILL.md": "A" }, { "skills/a/SKILL.md": "A2" }]);
  gitIn(cwd)("config", "core.fsmonitor", `touch ${cwd}/monitor-ran; false`);
  await writeFile(join(cwd, "skills/a/SKILL.md"), "A3");
  expect((await changedSkills({ cwd, base: "HEAD~1", globs })).skills).toHaveLength(1);
  expect(existsSync(join(cwd, "monitor-ran"))).toBe(false);
});

test("a skill's own config is taken, and tasks of another skill are not", async () => {
  const cwd = await tempDir();
  makeRepository(cwd, [
    {
      "whetstone.config.json": "{}",
      "skills/a/SKILL.md": "A",
      "skills/a/whetstone.config.json": "{}",
      "skills/b/SKILL.md": "B",
      "skills/b/tasks.jsonl": "",
      "skills/c/SKILL.md": "C",
    },
  ]);
  expect(nearestConfig(cwd, "skills/a")).toBe(join(cwd, "skills/a/whetstone.config.json"));
  expect(nearestConfig(cwd, "skills/b")).toBe(join(cwd, "whetstone.config.json"));
  const config = { skill: join(cwd, "skills/a/SKILL.md"), tasks: join(cwd, "a.jsonl") };
  expect(configForSkill(config, "skills/a", cwd)?.tasks).toBe(config.tasks);
  expect(configForSkill(config, "skills/b", cwd)).toEqual({
    skill: join(cwd, "skills/b"),
    tasks: join(cwd, "skills/b/tasks.jsonl"),
  });
  expect(configForSkill(config, "skills/c", cwd).tasks).toBeUndefined();
});
