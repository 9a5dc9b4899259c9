import { join } from "node:path";
import { expect, test } from "vitest";
import { expandConfig, loadConfig } from "./load.ts";
import { tempDir } from "../../test/support/temp-dir.ts";

test("a folder without a config file has an empty config", async () => {
  expect(await loadConfig(await tempDir())).toEqual({ config: {} });
});

test("TypeScript, JavaScript and JSON files are found, and their paths are meant from their own folder", async () => {
  const files = {
    "whetstone.config.ts": 'const epochs: number = 2; export default { epochs, skill: "./SKILL.md" };',
    "whetstone.config.mjs": 'export default { epochs: 2, skill: "./SKILL.md" };',
    "whetstone.config.json": '{ "epochs": 2, "skill": "./SKILL.md" }',
  };
  for (const [name, text] of Object.entries(files)) {
    const dir = await tempDir({ [name]: text });
    expect(await loadConfig(dir)).toEqual({
      config: { epochs: 2, skill: join(dir, "SKILL.md") },
      file: join(dir, name),
    });
  }
});

test("TypeScript that Node cannot strip is transformed", async () => {
  const dir = await tempDir({
    "whetstone.config.ts": "enum Passes { Few = 2 } export default { epochs: Passes.Few };",
  });
  expect((await loadConfig(dir)).config).toEqual({ epochs: 2 });
});

test("two config files in one folder are an error", async () => {
  const dir = await tempDir({ "whetstone.config.json": "{}", "whetstone.config.mjs": "export default {}" });
  await expect(loadConfig(dir)).rejects.toThrow(/There are two config files/);
});

test("a config extends another: what stands above wins, records are joined", async () => {
  const dir = await tempDir({
    "base/base.json":
      '{ "epochs": 9, "seed": 7, "tasks": "./tasks.jsonl", "spend": { "usd": 1, "calls": 5 } }',
    "whetstone.config.json": '{ "extends": "./base/base.json", "epochs": 2, "spend": { "usd": 3 } }',
  });
  expect((await loadConfig(dir)).config).toEqual({
    epochs: 2,
    seed: 7,
    tasks: join(dir, "base/tasks.jsonl"),
    spend: { usd: 3, calls: 5 },
  });
});

test("configs that extend each other in a circle are an error that shows the circle", async () => {
  const dir = await tempDir({
    "whetstone.config.json": '{ "extends": "./b.json" }',
    "b.json": '{ "extends": "./whetstone.config.json" }',
  });
  await expect(loadConfig(dir)).rejects.toThrow(
    /in a circle: .*whetstone\.config\.json → .*b\.json → .*whetstone\.config\.json/,
  );
});

test("a missing base, broken JSON and code that throws are told apart, with the file's name", async () => {
  await expect(
    loadConfig(await tempDir({ "whetstone.config.json": '{ "extends": "./no.json" }' })),
  ).rejects.toThrow(/The config file .*no\.json, which .*whetstone\.config\.json extends, doesn't exist/);
  await expect(loadConfig(await tempDir({ "whetstone.config.json": "{" }))).rejects.toThrow(
    /whetstone\.config\.json isn't valid JSON/,
  );
  await expect(
    loadConfig(await tempDir({ "whetstone.config.mjs": 'throw new Error("no key in the vault");' })),
  ).rejects.toThrow(/whetstone\.config\.mjs(?:, line 1,)? can't be loaded: no key in the vault\.$/);
});

test("paths in code are meant from the working folder, and expanding twice changes nothing", async () => {
  const written = {
    skill: "./SKILL.md",
    tasks: { train: "a.jsonl", val: "b.jsonl" },
    prompts: { ranking: "./ranking.md", merge_final: "Merge well." },
    environment: "./env.ts#office",
    journal: ".whetstone",
  };
  const once = await expandConfig(written, "/project", "The config");
  expect(once).toEqual({
    skill: "/project/SKILL.md",
    tasks: { train: "/project/a.jsonl", val: "/project/b.jsonl" },
    prompts: { ranking: "/project/ranking.md", merge_final: "Merge well." },
    environment: "/project/env.ts#office",
    journal: "/project/.whetstone",
  });
  expect(await expandConfig(once, "/elsewhere", "The config")).toEqual(once);
});

test("an agent's program, scripts and mounts are meant from the config's folder; a bare name is looked for on PATH", async () => {
  const dir = await tempDir({
    "sub/whetstone.config.json": JSON.stringify({
      agents: {
        mine: { run: ["node", "./agent.mjs", "--fast"], mounts: ["lib"] },
        theirs: { acp: ["../bin/agent"] },
        "claude-code": { command: "./claude" },
      },
    }),
  });
  expect((await loadConfig(join(dir, "sub"))).config.agents).toEqual({
    mine: { run: ["node", join(dir, "sub/agent.mjs"), "--fast"], mounts: [join(dir, "sub/lib")] },
    theirs: { acp: [join(dir, "bin/agent")] },
    "claude-code": { command: join(dir, "sub/claude") },
  });
});
