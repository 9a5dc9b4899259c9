import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { draftCommand } from "../src/apps/cli/commands/draft-command.ts";
import { importTasks } from "../src/adapters/importers/import-tasks.ts";
import { addTasks } from "../src/run/add-tasks.ts";
import { startScriptedServer } from "../src/testing/scripted-server/start-scripted-server.ts";
import { capturedIo } from "./support/captured-io.ts";
import { tempDir } from "./support/temp-dir.ts";

const drafted = {
  tasks: [
    { input: "Bill 3 hours to Ada.", expectations: ["It names a currency.", "It names Ada."] },
    { input: "Bill nothing.", expectations: ["It asks what to bill."] },
    { input: "Bill 2 hours to Bo.", expectations: ["It names Bo."] },
  ],
};

const evals = (count: number) =>
  JSON.stringify(
    {
      skill_name: "bills",
      evals: Array.from({ length: count }, (_, at) => ({
        id: at + 1,
        prompt: `Bill ${at} hours, please.`,
        expectations: ["It names a currency."],
      })),
    },
    null,
    2,
  );

async function draft(answers: readonly string[] | undefined, count = 8) {
  const asked: string[] = [];
  await using server = await startScriptedServer({
    seed: 1,
    world: {
      reply({ system, messages }) {
        if (!system.endsWith("Contract: draft_tasks")) return { text: "ok" };
        asked.push(messages[0]?.content ?? "");
        return { text: JSON.stringify(drafted) };
      },
    },
  });
  const cwd = await tempDir({
    "bills/SKILL.md": "---\nname: bills\ndescription: Writes bills.\n---\n# Bills\n",
    "bills/evals/evals.json": evals(count),
    "whetstone.config.json": JSON.stringify({
      skill: "bills",
      target: "office/target",
      optimizer: "office/writer",
      baseURL: `${server.url}/v1`,
      spend: { calls: 10 },
    }),
  });
  const { io, text } = capturedIo(cwd);
  const waiting = [...(answers ?? [])];
  const prompt = { ask: async () => waiting.shift(), edit: (written: string) => written };
  const given = { ...io, ...(answers === undefined ? {} : { prompt }) };
  await draftCommand({ count: 3, json: false, given: {} }, given);
  const file = join(cwd, "bills/evals/evals.json");
  return { asked, file, printed: stripVTControlCharacters(text()) };
}

test("a person keeps drafts with one key each, and hears how many more a test takes", async () => {
  const { asked, file, printed } = await draft(["k", "what?", "d", "K"]);
  expect(asked[0]).toContain("- not run yet: Bill 0 hours, please.\n  expected: It names a currency.");
  expect(asked[0]).toMatch(/Write 3 tasks\.$/);
  expect(printed).toContain("2 tasks added to bills/evals/evals.json.");
  expect(printed).toContain("They're saved for a held-out test, which needs 5 more.");
  const { tasks } = await importTasks(file);
  expect(tasks.slice(8)).toMatchObject([
    { input: "Bill 3 hours to Ada.", checks: [{ kind: "rubric" }, { kind: "rubric" }] },
    { input: "Bill 2 hours to Bo." },
  ]);
  expect(tasks.every(({ draft: isDraft }) => isDraft !== true)).toBe(true);
});

test.each([
  ["nobody is asked", undefined, "Nothing was written."],
  ["all are dropped", ["d", "d", "d"], "You kept none, and no file was changed."],
  ["the person leaves", ["q"], "You kept none, and no file was changed."],
])("no file changes where %s", async (_, answers, said) => {
  const { file, printed } = await draft(answers);
  expect(printed).toContain("Bill 3 hours to Ada.");
  expect(printed).toContain(said);
  expect(readFileSync(file, "utf8")).toBe(evals(8));
});

const task = { id: "new", input: "2 + 2?", answers: ["4"] };

test.each([
  ["rows.jsonl", '{"id":"a","input":"1 + 1?","answers":["2"]}', "rows.jsonl"],
  ["rows.json", '[\n\t{"id":"a","input":"1 + 1?","answers":["2"]}\n]', "rows.json"],
  ["set.json", '{"tasks":[{"id":"a","input":"1 + 1?","answers":["2"]}],"by":"me"}', "set.json"],
  ["rows.csv", "id,input,answers\na,1 + 1?,2\n", "more-tasks.jsonl"],
])("a task is added to %s in its own form", async (name, text, written) => {
  const cwd = await tempDir({ [name]: text });
  expect(await addTasks(join(cwd, name), [task])).toBe(join(cwd, written));
  if (written !== name) expect(readFileSync(join(cwd, name), "utf8")).toBe(text);
  const { tasks } = await importTasks(join(cwd, written));
  expect(tasks.at(-1)).toMatchObject(task);
  // a second one goes after the first
  await addTasks(join(cwd, name), [{ ...task, id: "newer" }]);
  expect((await importTasks(join(cwd, written))).tasks.slice(-2).map(({ id }) => id)).toEqual([
    "new",
    "newer",
  ]);
});
