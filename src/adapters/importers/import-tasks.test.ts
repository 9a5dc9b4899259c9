import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { checkTask, said, scoreTask } from "../../core/scorers/score-task.ts";
import type { Task } from "../../core/tasks/task.ts";
import { importTasks } from "./import-tasks.ts";
import type { Imported } from "./imported.ts";

const importText = async (name: string, text: string, others = {}): Promise<Imported> =>
  importTasks(join(await tempDir({ [name]: text, ...others }), name));

const invalidOf = ({ notUnderstood }: Imported): readonly string[] =>
  notUnderstood.filter(({ effect }) => effect === "invalid").map(({ where, what }) => `${where}: ${what}`);

const hard = async (task: Task | undefined, answer: string): Promise<number | string> => {
  const score = await scoreTask(task as Task, said(answer), {});
  return "kind" in score ? score.reason : score.hard;
};

test("a sentence of evals.json becomes a rubric, and its files come along under short names", async () => {
  const entry = {
    id: 1,
    prompt: "Read it",
    expected_output: "Seven",
    files: ["evals/files/a.txt"],
    expectations: ["It says 7"],
  };
  const dir = await tempDir({
    "s/SKILL.md": "",
    "s/evals/evals.json": JSON.stringify({ skill_name: "s", evals: [entry] }),
    "s/evals/files/a.txt": "7",
  });
  const imported = await importTasks(join(dir, "s"));
  expect(imported.format).toBe("evals-json");
  expect(imported.tasks[0]).toMatchObject({
    id: "1",
    input: "Read it",
    reference: "Seven",
    files: { "a.txt": "7" },
    checks: [{ kind: "rubric", value: "It says 7" }],
  });
  expect(imported.files.map((file) => file.slice(dir.length))).toEqual([
    "/s/evals/evals.json",
    "/s/evals/files/a.txt",
  ]);
});

test("a file outside the skill is never read, whatever path or link leads there", async () => {
  const dir = await tempDir({
    "secret.txt": "key",
    "s/evals/evals.json": JSON.stringify({
      evals: ["../secret.txt", "evals/files/link.txt", "/etc/hostname"].map((file, id) => ({
        id,
        prompt: `Read ${id}`,
        files: [file],
        expectations: ["It is read"],
      })),
    }),
    "s/evals/files/x": "",
  });
  await symlink(join(dir, "secret.txt"), join(dir, "s/evals/files/link.txt"));
  const imported = await importTasks(join(dir, "s/evals"));
  expect(imported.tasks.map(({ files }) => files)).toEqual([undefined, undefined, undefined]);
  expect(invalidOf(imported)).toHaveLength(3);
  expect(imported.tasks.every((task) => checkTask(task) !== undefined)).toBe(true);
});

test("fields of evals.json that nobody knows are named, and kept in the task's metadata", async () => {
  const entry = { prompt: "Read it", expectations: ["It says 7"], notes: { a: 1 }, metadata: { b: 2 } };
  const imported = await importText("evals.json", JSON.stringify({ evals: [entry] }));
  expect(imported.tasks).toMatchObject([{ id: "eval-1", metadata: { notes: { a: 1 }, b: 2 } }]);
  expect(imported.notUnderstood).toEqual([
    { where: "eval-1", what: 'the field "notes" (kept)', effect: "ignored" },
  ]);
});

test("promptfoo's asserts score as promptfoo scores them", async () => {
  const config = `
prompts: ["{{q}}"]
tests:
  - { vars: { q: a }, assert: [{ type: equals, value: Paris }] }
  - { vars: { q: b }, assert: [{ type: not-icontains, value: SORRY }] }
  - { vars: { q: c }, assert: [{ type: contains-any, value: [x, "{{q}}"] }] }
  - { vars: { q: d }, threshold: 0.5, assert: [{ type: contains, value: x }, { type: contains, value: y, weight: 2 }] }
  - { vars: { q: e }, assert: [{ type: is-json, value: { required: [a] } }] }
  - { vars: { q: f }, assert: [{ type: equals, value: { a: 1 } }] }
`;
  const { tasks } = await importText("promptfooconfig.yaml", config);
  const scores = [
    ["Paris", "paris"],
    ["fine", "I am sorry"],
    ["c", "d"],
    ["y", "x"],
    ['{"a": 1}', '```json\n{"a": 1}\n```'],
    ['{ "a": 1 }', '{"a": 2}'],
  ].map(async ([good = "", bad = ""], at) => [await hard(tasks[at], good), await hard(tasks[at], bad)]);
  expect(await Promise.all(scores)).toEqual(scores.map(() => [1, 0]));
});

test("an assertion that is not understood makes its task invalid, also inside a set that others could outvote", async () => {
  const config = `
prompts: ["{{q}}"]
tests:
  - { vars: { q: a }, assert: [{ type: ruby, value: "true" }, { type: contains, value: a }] }
  - { vars: { q: b }, threshold: 0.1, assert: [{ type: similar, value: b }, { type: contains, value: b }] }
  - { vars: { q: c }, assert: [{ type: assert-set, threshold: 0.1, assert: [{ type: zork }, { type: contains, value: c }] }] }
  - { vars: { q: d }, assert: [{ type: zork, weight: 0 }, { type: contains, value: d }] }
  - { vars: { q: e } }
`;
  const imported = await importText("promptfooconfig.yaml", config);
  expect(invalidOf(imported)).toEqual([
    "test-1: ruby",
    "test-2: similar",
    expect.stringContaining("test-3: zork, an unknown type"),
    expect.stringContaining("test-4: zork"),
    "test-5: no assertion",
  ]);
  for (const task of imported.tasks) expect(await hard(task, "abcde")).toMatch(/aren't supported/);
});

test("YAML that would run code elsewhere is text here", async () => {
  const config =
    'prompts: ["{{q}}"]\ntests:\n  - { vars: { q: !!js/function "function () { throw 1 }" }, assert: [{ type: contains, value: x }] }\n';
  expect((await importText("promptfooconfig.yaml", config)).tasks[0]?.input).toBe("function () { throw 1 }");
});

test("several prompts and lists of variables multiply a test, and its tasks stay in one group", async () => {
  const { tasks } = await importText(
    "c.yaml",
    'prompts: ["Say {{w}}", "Spell {{w}}"]\ntests: [{ vars: { w: [a, b] }, assert: [{ type: contains, value: "{{w}}" }] }]\n',
  );
  expect(tasks.map(({ input, group }) => [input, group])).toEqual([
    ["Say a", "test-1"],
    ["Spell a", "test-1"],
    ["Say b", "test-1"],
    ["Spell b", "test-1"],
  ]);
});

test.each([
  ["x.json", '[{"query": "q", "should_trigger": true}]', "trigger"],
  ["x.txt", '{"input": "1+1?", "ideal": "2"}\n{"input": "2+2?", "ideal": "4"}\n', "openai-evals"],
  [
    "x.json",
    '{"input": "1+1?", "answers": ["2"], "id": 1}\n{"input": "2+2?", "answers": ["4"], "id": 2}\n',
    "whetstone",
  ],
  ["x.jsonl", '[{"id": 1, "input": "1+1?", "answers": ["2"]}]', "whetstone"],
  ["x.csv", "input,target\na,b\n", "csv"],
  ["x.csv", "question,__expected\na,b\n", "promptfoo"],
  ["x.tsv", "question\tanswer\na\tb\n", "csv"],
  ["x.yml", "- { vars: { input: a }, assert: [{ type: equals, value: b }] }\n", "promptfoo"],
  ["x", "tests:\n  - { vars: { input: a }, assert: [{ type: equals, value: b }] }\n", "promptfoo"],
  ["x.yaml", "- { id: 1, input: a, answers: [b] }\n", "whetstone"],
])("%s with %j is taken for %s", async (name, text, format) => {
  const imported = await importText(name, text);
  expect(imported.format).toBe(format);
  expect(invalidOf(imported)).toEqual([]);
});

test("columns of a table are known in any case, and others keep theirs", async () => {
  const { tasks, notUnderstood } = await importText(
    "t.csv",
    "ID,Question,Answers,GROUP,Weight,System,Type,Room\nq7,Who?,a|b,g1,2,Be brief.,odd,Hall\n",
  );
  expect(tasks).toEqual([
    {
      id: "q7",
      input: "Who?",
      answers: ["a", "b"],
      group: "g1",
      weight: 2,
      system: "Be brief.",
      type: "odd",
      metadata: { Room: "Hall" },
    },
  ]);
  expect(notUnderstood).toEqual([]);
});

test("rows of JSONL need no id; in a folder of splits every number is said once", async () => {
  const row = `${JSON.stringify({ input: "Say a", answers: ["a"] })}\n`;
  const { tasks } = await importText("t.jsonl", row + row);
  expect(tasks.map(({ id }) => id)).toEqual(["row-1", "row-2"]);
  const dir = await tempDir({ "t/train.jsonl": row, "t/val.jsonl": row, "t/test.jsonl": row });
  const divided = await importTasks(join(dir, "t"));
  expect(divided.tasks.map(({ id }) => id)).toEqual(["train-row-1", "val-row-1", "test-row-1"]);
});

test("a format that is named wins over what the content looks like", async () => {
  const dir = await tempDir({ "t.csv": "input,target\nSay a,a\n" });
  const { tasks, format } = await importTasks(join(dir, "t.csv"), { format: "csv" });
  expect([format, tasks[0]?.answers]).toEqual(["csv", ["a"]]);
});

/** As a tool on Windows writes it. */
const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le"));

test.each([
  [
    "UTF-16 of Windows",
    { "a.jsonl": utf16('\uFEFF{"input": "a", "answers": ["b"]}') },
    /a\.jsonl is UTF-16\.$/,
  ],
  ["UTF-16 without a mark", { "a.csv": utf16("question,answer\na,b\n") }, /a\.csv is UTF-16\.$/],
  ["two files", { "a.json": "[]", "b.json": "[]" }, /2 task files/],
  ["no file", { "a.md": "" }, /no task file/],
  ["broken JSON", { "a.json": "[{" }, /a\.json isn't valid JSON/],
  [
    "a broken line",
    { "a.jsonl": '{"id": 1, "input": "a", "answers": ["b"]}\n{' },
    /a\.jsonl, line 2 isn't valid JSON/,
  ],
  ["broken YAML", { "a.yaml": "a: [" }, /a\.yaml isn't valid YAML/],
  [
    "a YAML bomb",
    {
      "a.yaml": `a: &a [x]\n${Array.from("bcdefghij", (name, at) => `${name}: &${name} [${`*${"abcdefghij"[at]},`.repeat(9)}]`).join("\n")}`,
    },
    /isn't valid YAML/,
  ],
  ["broken CSV", { "a.csv": 'question,answer\n"a' }, /a\.csv isn't valid CSV/],
  ["a column twice", { "a.csv": "question,question\na,b\n" }, /two columns named "question"/],
  ["a column twice in two cases", { "a.csv": "ID,id,question,answer\n1,2,a,b\n" }, /two columns named "id"/],
  [
    "the same, where the first row is short",
    { "a.csv": "question,answer,Group,group\na,b\na,b,1,2\n" },
    /"group"/,
  ],
  ["no question", { "a.csv": "name,answer\na,b\n" }, /no question column/],
  ["deep nesting", { "a.json": "[".repeat(5000) + "]".repeat(5000) }, /nested/],
  ["a row without a prompt", { "evals.json": '{"evals": [{"id": 1}]}' }, /eval 1 has no question/],
])("%s is an error with a next step", async (_, files, message) => {
  const dir = await tempDir(files);
  const error: unknown = await importTasks(dir).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(WhetstoneError);
  expect(error).toMatchObject({
    code: "tasks-invalid",
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/\w/),
  });
});

test("the splits of a folder may each have a format, and ids that were made up do not meet", async () => {
  const dir = await tempDir({
    "train.csv": "question,answer\na?,a\n",
    "val/x.csv": "question,answer\nb?,b\n",
    "test.jsonl": '{"input": "c?", "ideal": "c"}\n{"input": "d?", "ideal": "d"}',
  });
  const { splits } = await importTasks(dir);
  expect(splits?.train.map(({ id }) => id)).toEqual(["train-row-1"]);
  expect(splits?.val.map(({ id }) => id)).toEqual(["val-row-1"]);
  expect(splits?.test.map(({ id }) => id)).toEqual(["test-sample-1", "test-sample-2"]);
});

test("a conversation becomes one question, its system text the output contract", async () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "And?" },
  ];
  const { tasks } = await importText("s.jsonl", JSON.stringify({ input: messages, ideal: "so" }));
  expect(tasks[0]).toMatchObject({
    input: "User: Hi\n\nAssistant: Hello\n\nUser: And?",
    system: "Be brief.",
    answers: ["so"],
  });
});
