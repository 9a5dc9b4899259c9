import { expect, test } from "vitest";
import { parseTasks } from "../../core/tasks/parse-tasks.ts";
import { minedTask } from "../../../test/support/mined-tasks.ts";
import { readTaskRows, writeTaskRows } from "./tasks-file.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const zod = minedTask("m-1", "Add zod.", ["claude-code:a", "codex:b"], {
  kind: "correction",
  outcome: "failed",
  evidence: ["no, use pnpm"],
  skill: "release",
  stated: "use pnpm",
  paraphrases: ["Bring in zod."],
  workspace: { commit, files: ["package.json"] },
});
const tasks = [
  { ...zod, task: { ...zod.task, checkout: commit } },
  minedTask("m-2", "Write notes.", ["pi:c"]),
];
const reviewed = (text: string) => text.replaceAll('"draft":true', '"draft":false');

test("reviewed rows come back as they were", () => {
  expect(readTaskRows(reviewed(writeTaskRows(tasks)), "tasks.jsonl")).toEqual(tasks);
});

test("rows are plain tasks: training reads them too", () => {
  const rows = writeTaskRows(tasks)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(parseTasks(rows, "tasks.jsonl").map(({ id, draft }) => [id, draft])).toEqual([
    ["m-1", true],
    ["m-2", true],
  ]);
});

test("fault 22: rows that nobody has reviewed are refused by name before any model is chosen", () => {
  const text = writeTaskRows(tasks);
  expect(() => readTaskRows(text, "tasks.jsonl")).toThrow(
    "Nobody has reviewed these rows of tasks.jsonl: m-1, m-2.",
  );
  const half = text.replace('"draft":true', '"draft":false');
  expect(() => readTaskRows(half, "tasks.jsonl")).toThrow(/tasks\.jsonl: m-2\./);
});

test("a row that a person wrote by hand is a task of its own", () => {
  const row =
    '{"id": "mine", "input": "Add zod.", "checks": [{"kind": "contains", "value": "pnpm"}], "metadata": {"by": "ada"}}\n';
  const [read] = readTaskRows(row, "tasks.jsonl");
  expect(read).toEqual({
    ...minedTask("mine", "Add zod.", ["file:mine"]),
    task: { ...minedTask("mine", "Add zod.", ["file:mine"]).task, metadata: { by: "ada" } },
  });
});

test("what is broken is named", () => {
  expect(() => readTaskRows('{"id": 1\n', "t.jsonl")).toThrow("t.jsonl, line 1 isn't JSON.");
  const text = reviewed(writeTaskRows(tasks)).replace('"scope":"project"', '"scope":"world"');
  expect(() => readTaskRows(text, "t.jsonl")).toThrow(/task m-1: "metadata\.sleep\.scope"/);
});
