import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../config/load.ts";
import { tempDir } from "../config/temp-dir-for-test.ts";
import { startScriptedServer } from "../testing/scripted-server/start-scripted-server.ts";
import { draftTasksFor } from "./draft-tasks.ts";
import { init } from "./init.ts";

test("a skill folder with evals becomes a config that loads", async () => {
  const folder = await tempDir({
    "skills/invoice/SKILL.md": "# Invoices",
    "skills/invoice/evals/evals.json": "{}",
    "AGENTS.md": "# House",
  });
  const done = init({ folder });
  expect(done).toMatchObject({ skill: "skills/invoice", tasks: "skills/invoice/evals/evals.json" });
  expect(done.found.skills).toEqual(["skills/invoice", "AGENTS.md"]);
  const { config } = await loadConfig(folder);
  expect(config).toMatchObject({
    skill: join(folder, "skills/invoice"),
    tasks: join(folder, "skills/invoice/evals/evals.json"),
  });
});

test("rules of an editor and standing instructions are skills too", async () => {
  const folder = await tempDir({ ".cursor/rules/house.mdc": "x", "CLAUDE.md": "y" });
  expect(init({ folder }).found.skills).toEqual(["CLAUDE.md", ".cursor/rules/house.mdc"]);
});

test("a config that is there is never written over without --force", async () => {
  const folder = await tempDir({ "SKILL.md": "x" });
  init({ folder });
  expect(() => init({ folder })).toThrow(/There is a config already/);
  expect(init({ folder, force: true }).skill).toBe(".");
});

test("drafts come from the skill, marked so that they do not gate", async () => {
  const folder = await tempDir({ "SKILL.md": "# Invoices\n\nAlways name the currency.\n" });
  const drafted = { tasks: [{ input: "Bill 3 hours.", expectations: ["It names a currency."] }] };
  await using server = await startScriptedServer({
    seed: 1,
    world: { reply: ({ system }) => ({ text: system === "" ? "ok" : JSON.stringify(drafted) }) },
  });
  const call = {
    skill: join(folder, "SKILL.md"),
    target: "scripted/m",
    optimizer: "scripted/m",
    baseURL: `${server.url}/v1`,
    prices: { "scripted/m": { input: 1, output: 1 } },
    journal: join(folder, ".whetstone"),
    count: 1,
    file: join(folder, "evals", "drafts.jsonl"),
  };
  await draftTasksFor(call);
  expect(JSON.parse(readFileSync(call.file, "utf8"))).toEqual({
    id: "draft-1",
    input: "Bill 3 hours.",
    checks: [{ kind: "rubric", value: "It names a currency." }],
    draft: true,
  });
  await expect(draftTasksFor(call)).rejects.toThrow(/drafts already/);
});
