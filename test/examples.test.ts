import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../src/config/load.ts";
import { resolveConfig } from "../src/config/resolve/resolve.ts";
import { findSeedLeak } from "../src/core/guard/seed-leak.ts";
import { singleFileSkill } from "../src/core/skill/skill.ts";
import { createDemo } from "../src/run/demo-world.ts";
import { tempDir } from "./support/temp-dir.ts";

const examples = join(import.meta.dirname, "../examples");

test("the example project is complete: skill, tasks, models and caps", async () => {
  const cwd = join(examples, "delivery-notes");
  const { config } = await loadConfig(cwd);
  const resolved = await resolveConfig(config, { cwd, env: { OPENAI_API_KEY: "sk-none" } });
  expect([...resolved.guesses, ...resolved.notes]).toEqual([]);
  expect(Object.values(resolved.splits).map((split) => split.length)).toEqual([12, 12, 6]);
});

const projects = readdirSync(examples, { withFileTypes: true }).filter(({ name }) =>
  ["ts", "json"].some((extension) => existsSync(join(examples, name, `whetstone.config.${extension}`))),
);

test.each(projects)("the skill of examples/$name is its own and holds no answer", async ({ name }) => {
  const cwd = join(examples, name);
  const { config } = await loadConfig(cwd);
  const env = { OPENAI_API_KEY: "sk-none", ANTHROPIC_API_KEY: "sk-none", PATH: process.env["PATH"] };
  const { skill } = await resolveConfig(
    { ...config, target: "openai/gpt-5.4-nano", optimizer: "openai/gpt-5.4" },
    { cwd, env, withoutCalls: true },
  );
  expect(Object.keys(skill.files)).toEqual(["SKILL.md"]);
});

test("the skill of the demo holds no answer, however many rules it knows", () => {
  for (const seed of [1, 2, 3]) {
    const { world, splits } = createDemo({ seed });
    expect(findSeedLeak(singleFileSkill(world.seedSkill(8)), splits, () => false)).toBeUndefined();
  }
});

test("training in code learns the rules that its skill lacks, and prints before and after", async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(examples, "train-in-code.ts")], {
    cwd: await tempDir(),
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/\nBetter: \+\d\d\.\d points \(95% interval \+/);
  expect(stdout).toMatch(/\nTest tasks passed: [34]\d\.\d% before, [89]\d\.\d% after\.\n/);
  const [before, after] = stdout.slice(stdout.indexOf("\nBefore:\n")).split("\nAfter:\n");
  const codes = (text = "") => new Set(text.match(/shelf code [A-Z]-\d+/g)).size;
  expect([codes(before), codes(after)]).toEqual([2, 6]);
  expect(stdout).not.toContain("undefined");
});
