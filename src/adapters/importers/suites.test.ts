import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { importTasks } from "./import-tasks.ts";
import type { Imported } from "./imported.ts";

const invalidOf = ({ notUnderstood }: Imported): readonly string[] =>
  notUnderstood.filter(({ effect }) => effect === "invalid").map(({ where, what }) => `${where}: ${what}`);

const ignoredOf = ({ notUnderstood }: Imported): readonly string[] =>
  notUnderstood.filter(({ effect }) => effect === "ignored").map(({ what }) => what);

const prompt = "---\nmax_turns: 5\ntags: [a]\n---\n\nSay hello.\n";

test("a case of claude plugin eval in prose: every grader becomes a check with its weight and its target", async () => {
  const line = (role: string, part: object) =>
    JSON.stringify({ type: role, message: { role, content: [part] } });
  const plugin = await tempDir({
    ".claude-plugin/plugin.json": '{ "name": "p", "experimental": { "evals": "checks" } }',
    "checks/hello/prompt.md": prompt,
    "checks/hello/graders/1-says.md": "---\ntype: regex\nflags: gi\nweight: 2\n---\n\nhello\n",
    "checks/hello/graders/2-quiet.md":
      "---\ntype: regex\nmatch: not_contains\ntarget: trace\npattern: rude\n---\n",
    "checks/hello/graders/3-count.md":
      "---\ntype: regex\nmatch: count:2\ntarget: { source: file, path: out.txt }\n---\n\nx\n",
    "checks/hello/graders/4-order.md":
      "---\ntype: tool_order\nbefore: Read\nafter: { tool: Write, input_match: out }\n---\n",
    "checks/hello/graders/5-tool.md": "---\ntype: tool_used\ntool: Bash\nmin: 0\nmax: 0\narm: both\n---\n",
    "checks/hello/graders/6-file.md": "---\ntype: file_exists\npath: out/**/*.md\n---\n",
    "checks/hello/graders/7-judge.md": "---\ntype: llm\nfocus: files\n---\n\nIt is friendly.\n",
    "checks/hello/graders/8-as-before.md":
      "---\ntype: baseline\nbaseline_file: before.jsonl\n---\n\nAs friendly.\n",
    "checks/hello/graders/9-fired.md": "---\ntype: tool_used\ntool: Skill\n---\n",
    "checks/hello/graders/notes.md": "No frontmatter, so no grader.\n",
    "checks/hello/before.jsonl": line("assistant", { type: "text", text: "Hello, friend." }),
  });
  const imported = await importTasks(plugin);
  expect(imported.format).toBe("plugin-eval");
  expect(invalidOf(imported)).toEqual([]);
  expect(imported.tasks).toHaveLength(1);
  expect(imported.tasks[0]).toMatchObject({ id: "hello", input: "Say hello." });
  expect(imported.tasks[0]?.checks).toEqual([
    { kind: "regex", value: { pattern: "hello", flags: "i" }, weight: 2 },
    { kind: "regex", value: "rude", negate: true, on: "trace" },
    { kind: "regex", value: { pattern: "x", flags: "", count: 2 }, on: { file: "out.txt" } },
    { kind: "tool-order", value: { before: { name: "Read" }, after: { name: "Write", matches: "out" } } },
    { kind: "tool-called", value: { name: "Bash", atLeast: 0, atMost: 0 } },
    { kind: "regex", value: { pattern: "^out/(?:.*/)?[^/\\n]*\\.md$", flags: "m" }, on: "files" },
    { kind: "rubric", value: { text: "It is friendly.", votes: 3 }, on: "files" },
    {
      kind: "as-good-as",
      value: {
        reference: line("assistant", { type: "text", text: "Hello, friend." }),
        rubric: "As friendly.",
      },
      on: "trace",
    },
  ]);
  expect(ignoredOf(imported).join("\n")).toContain('the grader "9-fired"');
});

test("a case.yaml, alone or below prose, and what it needs around it is refused by name", async () => {
  const yaml = `
schema_version: "1.0"
name: ship
expected_outcome: A tag.
context: { scaffold_script: setup.sh }
execution: { prompt: Ship it., env: { EVAL_A: "1" } }
graders:
  - { type: tool_used, name: t, tool: Bash, typo: 1 }
  - { type: regex, name: m, pattern: x, target: mock_calls }
`;
  const evals = await tempDir({
    "ship/case.yaml": yaml,
    "ship/mocks/github/list_issues.md": "---\n---\n[]",
    "fine/case.yaml":
      'schema_version: "1.0"\nname: fine\nexecution: { prompt: Go. }\ngraders: [{ type: regex, name: a, pattern: go }]',
    "results/old/case.yaml": "not looked at",
  });
  const imported = await importTasks(evals);
  expect(imported.tasks.map(({ id }) => id)).toEqual(["fine", "ship"]);
  expect(imported.tasks[1]?.reference).toBe("A tag.");
  expect(invalidOf(imported)).toEqual([
    'ship: the key "typo" in a tool_used grader',
    "ship: a grader on mock_calls (MCP mocks)",
    "ship: scaffold_script (a script that prepares the run)",
    "ship: env (variables for the run)",
    "ship: MCP mocks (mocks/github)",
  ]);
});

test("a case whose only grader says that the plugin fired is scored by it, as it is there", async () => {
  const evals = await tempDir({
    "fires/prompt.md": prompt,
    "fires/graders/fired.md": "---\ntype: tool_used\ntool: Skill\n---\n",
  });
  const { tasks } = await importTasks(join(evals, "fires", "prompt.md"));
  expect(tasks[0]?.checks).toEqual([{ kind: "tool-called", value: { name: "Skill", atLeast: 1 } }]);
});

test("blank templates, unknown keys and mistyped weights are told", async () => {
  const evals = await tempDir({
    "a/prompt.md": "TODO: describe what the agent should do\n",
    "a/graders/criteria.md": "---\ntype: llm\n---\n\nTODO: describe what a successful response looks like\n",
    "b/prompt.md": prompt,
    "b/graders/w.md": "---\ntype: regex\nweight: -1\n---\n\nx\n",
  });
  expect(invalidOf(await importTasks(evals))).toEqual([
    "a: an llm grader that is still the blank template",
    "a: the prompt is still the blank template",
    "b: the weight -1",
  ]);
  const unknown = await tempDir({ "c/prompt.md": "---\nturns: 5\n---\nGo.", "c/graders/w.md": "" });
  await expect(importTasks(unknown)).rejects.toThrow('unknown frontmatter key "turns"');
});

test("SkillOpt's splits: context, question, answers; choices; and lists of ids are told apart", async () => {
  const row = { id: "a1", question: "Who?", context: "[DOC] Ada wrote it.", answers: ["Ada"], month: "May" };
  const choice = {
    id: "m:1",
    question: "Which?",
    choices: [
      { label: "A", text: "one" },
      { label: "B", text: "two" },
    ],
    correct_choice: { label: "B", text: "two" },
  };
  const data = await tempDir({
    "train/items.json": JSON.stringify([row]),
    "val/items.json": JSON.stringify([
      { ...row, id: "a2", context: `[DOC]${"x".repeat(4000)}[DOC]${"y".repeat(4000)}` },
    ]),
    "test/items.json": JSON.stringify([choice]),
    "split_manifest.json": "{}",
  });
  const { format, splits } = await importTasks(data);
  expect(format).toBe("skillopt");
  expect(splits?.train[0]).toMatchObject({
    id: "a1",
    input: "## Context\n[DOC] Ada wrote it.\n\n## Question\nWho?",
    answers: ["Ada"],
    metadata: { month: "May" },
  });
  expect(splits?.val[0]?.input).toHaveLength("## Context\n\n\n## Question\nWho?".length + 4005);
  expect(splits?.test[0]).toMatchObject({ input: "Which?\n\nA) one\nB) two", answers: ["B"] });
  const ids = await tempDir({ "ids.json": '[{ "id": "1" }, { "id": "2" }]' });
  await expect(importTasks(join(ids, "ids.json"))).rejects.toThrow("these are SkillOpt's lists of ids");
});
