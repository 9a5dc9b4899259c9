import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "./support/temp-dir.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/how-it-works.md"), "utf8");
const code = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "";

test("the algorithm on the page has at most sixty lines of code, and keeps what helps alone", async () => {
  const lines = code.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//"));
  expect(lines.length).toBeGreaterThan(30);
  expect(lines.length).toBeLessThanOrEqual(60);
  const program = join(await tempDir(), "algorithm.ts");
  writeFileSync(program, code.replaceAll(/"whetstone\/(\w+)"/g, `"${root}/src/$1.ts"`));
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual([
    "step 1: reject, val 0.00",
    "step 2: accept_new_best, val 0.50",
    "step 3: accept_new_best, val 0.75",
    "step 4: accept_new_best, val 1.00",
    "better",
  ]);
});

test("every file that the page names exists", () => {
  const named = [...page.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** Modules as their packages list them; `__init__.py` only passes names on. */
const modules = {
  skillrl:
    "trainer config types core/editor core/gate core/scheduler core/utils envs/base envs/qa llm/base llm/openai_client pipeline/aggregate pipeline/reflect pipeline/rollout pipeline/select",
  SkillOpt:
    "scripts/train skillopt/envs/base skillopt/datasets/base skillopt/types skillopt/evaluation/gate skillopt/model/backend_config",
  "SkillOpt-Sleep": "backend consolidate gate memory replay rollout scheduler types",
};

test.each(Object.entries(modules))("every module of %s is on the page", (name, listed) => {
  const table = new RegExp(`## Where ${name}'s modules are\n([\\s\\S]*?)(?:\n## |$)`).exec(page)?.[1] ?? "";
  expect(listed.split(" ").filter((module) => !table.includes(`\`${module}.py\``))).toEqual([]);
});
