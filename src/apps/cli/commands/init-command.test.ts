import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test, vi } from "vitest";
import { guessableModels } from "../../../config/guess.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { startScriptedServer } from "../../../testing/scripted-server/start-scripted-server.ts";
import { initCommand } from "./init-command.ts";
import { capturedIo } from "../../../../test/support/captured-io.ts";

test("drafts are made with the config that is there, which stays as it is", async () => {
  const drafted = { tasks: [{ input: "Bill 3 hours.", expectations: ["It names a currency."] }] };
  await using server = await startScriptedServer({
    seed: 1,
    world: { reply: ({ system }) => ({ text: system === "" ? "ok" : JSON.stringify(drafted) }) },
  });
  const config = JSON.stringify({
    skill: "./SKILL.md",
    target: "office/unpriced",
    optimizer: "office/writer",
    baseURL: `${server.url}/v1`,
    prices: { "office/writer": { input: 1, output: 1 } },
    spend: { usd: 1 },
  });
  const cwd = await tempDir({
    "SKILL.md": "---\nname: bills\ndescription: Writes bills.\n---\n# Bills\n",
    "whetstone.config.json": config,
  });
  const { io, text: printed } = capturedIo(cwd);
  await initCommand({ force: false, json: false, draft: 1 }, io);
  expect(readFileSync(join(cwd, "whetstone.config.json"), "utf8")).toBe(config);
  const text = stripVTControlCharacters(printed());
  expect(text).toContain("1 task drafted into evals/drafts.jsonl for $");
  expect(text).toContain("To train on them, add --tasks evals/drafts.jsonl.");
  await expect(initCommand({ force: false, json: false }, io)).rejects.toThrow("A config already exists");
  rmSync(join(cwd, "evals/drafts.jsonl"));
  // flags win over the config, so that a next step that names one works
  await initCommand({ force: false, json: true, draft: 1, optimizer: "office/other" }, io);
  expect(server.calls.at(-1)?.request.model).toBe("other");
});

test("without a model nothing is drafted and nothing written, and the second try says the same", async () => {
  for (const { variable } of guessableModels) vi.stubEnv(variable, "");
  vi.stubEnv("PATH", "");
  const cwd = await tempDir({ "SKILL.md": "# Bills\n" });
  const { io } = capturedIo(cwd);
  for (const _ of ["first", "second"])
    await expect(initCommand({ force: false, json: false, draft: 3 }, io)).rejects.toThrow(
      "No model is named, and no known provider's key is set.",
    );
  expect(readdirSync(cwd)).toEqual(["SKILL.md"]);
  vi.unstubAllEnvs();
});
