import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../config/load.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { startScriptedServer } from "../testing/scripted-server/start-scripted-server.ts";
import { draftTasksFor } from "./verbs/draft.ts";
import { type Initialised, type InitOptions, chooseWork, writeConfig } from "./init.ts";

function init(options: InitOptions): Initialised {
  const chosen = chooseWork(options);
  writeConfig(chosen);
  return chosen;
}

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

test("suites of folders and SkillOpt's splits and configs are found beside the skill", async () => {
  const folder = await tempDir({
    ".claude-plugin/plugin.json": "{}",
    "skills/a/SKILL.md": "# A",
    "skills/a/evals/plan/prompt.md": "Plan.",
    "skills/a/evals/plan/graders/one.md": "---\ntype: regex\n---\nhi",
    "evals/hello/prompt.md": "Hello.",
    "evals/hello/graders/one.md": "---\ntype: regex\n---\nhi",
    "data/qa/train/items.json": "[]",
    "data/qa/val/items.json": "[]",
    "data/qa/test/items.json": "[]",
    "configs/qa/default.yaml": "train: {}\noptimizer: { learning_rate: 4 }\n",
  });
  const { found, tasks } = init({ folder });
  expect(found.tasks).toEqual(["skills/a/evals", "evals", "data/qa"]);
  expect(found.skillOpt).toEqual(["configs/qa/default.yaml"]);
  expect(tasks).toBe("skills/a/evals");
});

test("a config of SkillOpt that is taken over is written down, with what has no counterpart", async () => {
  const folder = await tempDir({ "skills/initial.md": "# A" });
  const config = { skill: "./skills/initial.md", tasks: "./data/qa", target: "openai/gpt-5.5", epochs: 4 };
  const takenOver = { config, taken: ["a → b"], left: ["env.workers: adapts by itself"] };
  expect(init({ folder, takenOver })).toMatchObject({ skill: "skills/initial.md", target: "openai/gpt-5.5" });
  expect(readFileSync(join(folder, "whetstone.config.mts"), "utf8")).toContain(
    "// not taken over, env.workers: adapts by itself",
  );
  expect((await loadConfig(folder)).config).toMatchObject({ epochs: 4, tasks: join(folder, "data/qa") });
});

test("rules of an editor and standing instructions are skills too", async () => {
  const folder = await tempDir({ ".cursor/rules/house.mdc": "x", "CLAUDE.md": "y" });
  expect(init({ folder }).found.skills).toEqual(["CLAUDE.md", ".cursor/rules/house.mdc"]);
});

test("a config that is there is never written over without --force", async () => {
  const folder = await tempDir({ "SKILL.md": "x" });
  init({ folder });
  expect(() => init({ folder })).toThrow(/A config already exists/);
  expect(init({ folder, force: true }).skill).toBe("SKILL.md");
});

test("models and a server that are named are written down, and nothing is guessed beside them", async () => {
  const folder = await tempDir({ "SKILL.md": "x", "tasks.jsonl": "" });
  const models = { target: "local/small", baseURL: "http://127.0.0.1:8080/v1" };
  expect(init({ folder, models })).toMatchObject({ ...models, optimizer: "local/small" });
  const { config } = await loadConfig(folder);
  expect(config).toMatchObject({ ...models, optimizer: "local/small" });
  expect(() => init({ folder, force: true, models: { target: "small" } })).toThrow('"target" is "small"');
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["a SKILL.md beside other files", { "README.md": "", "tasks.jsonl": "", "src/a.py": "" }, "SKILL.md"],
  ["references", { "references/a.md": "" }, "."],
  ["a link to a file", { "notes.md": "" }, "."],
  ["a link, in a git root", { "notes.md": "", ".git/HEAD": "" }, "SKILL.md"],
  ["scripts, in a package", { "scripts/a.sh": "", "package.json": "{}" }, "SKILL.md"],
  ["scripts, in a package of another language", { "scripts/a.sh": "", "pyproject.toml": "" }, "SKILL.md"],
  ["references, with exports", { "references/a.md": "", ".whetstone/x": "" }, "."],
])("%s: the skill is the folder only where it is an Agent Skill by its shape", async (_, files, skill) => {
  const folder = await tempDir({ "SKILL.md": "See [notes](notes.md) or `README.md`.", ...files });
  expect(init({ folder }).skill).toBe(skill);
  expect((await loadConfig(folder)).config.journal).toBeUndefined();
});

test("a folder of skills makes each one in it a folder, but for a project", async () => {
  const folder = await tempDir({
    "SKILL.md": "# House",
    "skills/one/SKILL.md": "# One",
    "skills/one/evals.json": "{}",
    "skills/two/SKILL.md": "# Two",
    "skills/two/package.json": "{}",
    "tasks.jsonl": "{}",
  });
  const { found, skill, tasks } = init({ folder });
  expect(found.skills).toEqual(["SKILL.md", "skills/one", "skills/two/SKILL.md"]);
  expect([skill, tasks]).toEqual(["SKILL.md", "tasks.jsonl"]);
  expect(init({ folder: join(folder, "skills/one") })).toMatchObject({ skill: ".", tasks: "evals.json" });
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
    id: expect.stringMatching(/^draft-[0-9a-f]{6}-1$/),
    input: "Bill 3 hours.",
    checks: [{ kind: "rubric", value: "It names a currency." }],
    draft: true,
  });
  await expect(draftTasksFor(call)).rejects.toThrow(/Drafts already exist/);
});
