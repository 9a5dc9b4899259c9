import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { hiddenRuleWorld } from "../../../testing/hidden-rule-world.ts";
import { startScriptedServer } from "../../../testing/scripted-server/start-scripted-server.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { guessableModels } from "../../../config/guess.ts";
import { startCommand } from "./start-command.ts";

beforeEach(() => {
  for (const { variable } of guessableModels) vi.stubEnv(variable, "");
  vi.stubEnv("PATH", "");
});
afterEach(() => vi.unstubAllEnvs());

/** Somebody who gives these answers, then ends it with Ctrl-D. */
async function start(cwd: string, answers: readonly string[]) {
  const { io, text } = capturedIo(cwd);
  const asked: string[] = [];
  const left = [...answers];
  const prompt = {
    ask: async (question: string) => {
      asked.push(question);
      return left.shift();
    },
    edit: (words: string) => words,
  };
  const end = await startCommand({ ...io, prompt }).catch((error: unknown) => error as { code?: string });
  return { asked, code: end?.code, printed: stripVTControlCharacters(text()) };
}

const world = hiddenRuleWorld({ seed: 3, rules: 3, passWithout: 0.1, passWith: 0.95 });
const scripted = () =>
  startScriptedServer({
    seed: 3,
    world: {
      reply: (request) =>
        world.reply({ ...request, model: request.system.includes("Contract:") ? "optimizer" : "target" }),
    },
  });

test("two questions and two times Enter lead from an unknown folder to a result and its next steps", async () => {
  await using server = await scripted();
  const cwd = await tempDir({
    "skills/desk/SKILL.md": `---\nname: desk\ndescription: Sorts parcels. Use when a parcel comes in.\n---\n${world.seedSkill(0)}`,
    "skills/other/SKILL.md": "---\nname: other\ndescription: Another one.\n---\n# Other\n",
    "skills/desk/tasks.jsonl": world
      .tasks(12)
      .map((task) => JSON.stringify(task))
      .join("\n"),
  });
  const model = `house/small ${server.url}/v1`;
  const { asked, code, printed } = await start(cwd, ["1", "no model", model, "", ""]);
  expect(code).toBeUndefined();
  expect(asked).toEqual([
    "Which skill? [1] ",
    "Which model? ",
    "Which model? ",
    expect.stringContaining("Enter to read"),
    expect.stringContaining("Enter to start"),
  ]);
  expect(printed).toMatch(/This fits in ten minutes: .*no cost, .* calls/);
  expect(printed.replaceAll(/\s+/g, " ")).toContain("the result only holds for these tasks");
  expect(printed).toMatch(/next +whetstone/);
  expect(existsSync(join(cwd, "whetstone.config.mts"))).toBe(true);
});

test.each([
  [[], 0],
  [["house/small http://127.0.0.1:9/v1"], 1],
])("whoever ends it before Enter has called nobody and written nothing", async (answers, given) => {
  const cwd = await tempDir({ "SKILL.md": "# Desk\n", "tasks.jsonl": '{"input":"a","answers":["b"]}' });
  const { asked, code } = await start(cwd, answers);
  expect(code).toBe("interrupted");
  expect(asked).toHaveLength(given + 1);
  expect(readdirSync(cwd).toSorted()).toEqual(["SKILL.md", "tasks.jsonl"]);
});

test("a server that doesn't answer is found before the price, with a next step", async () => {
  const cwd = await tempDir({ "SKILL.md": "# Desk\n", "tasks.jsonl": '{"input":"a","answers":["b"]}' });
  const { code, printed } = await start(cwd, ["house/small http://127.0.0.1:9/v1", ""]);
  expect(code).toBe("failed");
  expect(printed).toContain("fail  target");
  expect(printed).toContain("next:");
  expect(existsSync(join(cwd, "whetstone.config.mts"))).toBe(false);
});

test("without tasks the optimizer drafts some, after its price and Enter", async () => {
  const drafted = { tasks: [{ input: "Bill 3 hours.", expectations: ["It names a currency."] }] };
  await using server = await startScriptedServer({
    seed: 1,
    world: { reply: ({ system }) => ({ text: system === "" ? "ok" : JSON.stringify(drafted) }) },
  });
  const cwd = await tempDir({ "SKILL.md": "---\nname: bills\ndescription: Writes bills.\n---\n# Bills\n" });
  const { asked, printed } = await start(cwd, [`house/small ${server.url}/v1`, "", "", "k"]);
  expect(asked.at(2)).toContain("Enter to draft");
  expect(printed).toContain("1 task drafted");
  expect(server.calls.length).toBeGreaterThan(0);
});

test("in a script it says what to type instead", async () => {
  const { io } = capturedIo(await tempDir({ "SKILL.md": "# Desk\n" }));
  await expect(startCommand(io)).rejects.toMatchObject({ code: "usage" });
});
