import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../src/config/load.ts";
import { resolveConfig } from "../src/config/resolve.ts";
import { tempDir } from "../src/config/temp-dir-for-test.ts";

const examples = join(import.meta.dirname, "../examples");

test("the example project is complete: skill, tasks, models and caps", async () => {
  const cwd = join(examples, "delivery-notes");
  const { config } = await loadConfig(cwd);
  const resolved = await resolveConfig(config, { cwd, env: { OPENAI_API_KEY: "sk-none" } });
  expect(resolved.guesses).toEqual([]);
  expect(Object.values(resolved.splits).map((split) => split.length)).toEqual([12, 12, 6]);
});

test("training in code runs as it stands", async () => {
  const cwd = await tempDir();
  const program = join(examples, "train-in-code.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { cwd, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^step 2: /m);
  expect(stdout).toContain("# Parcel desk");
});
