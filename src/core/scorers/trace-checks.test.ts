import { expect, test } from "vitest";
import type { ToolCall } from "../ports/agent.ts";
import type { Reply } from "../ports/model.ts";
import type { Check } from "../tasks/task.ts";
import type { Performance, ScoringTools } from "./performance.ts";
import { checkTask, said, scoreTask } from "./score-task.ts";
import { callText, resultText, traceText } from "./trace.ts";

const call = (name: string, input: ToolCall["input"], output = ""): ToolCall => ({
  name,
  input,
  output,
  failed: false,
});

const read = call("Read", { file_path: "/work/notes.md" }, "old notes");
const write = call("Write", { file_path: "/work/out/report.md", content: "one two one" });

const performance: Performance = {
  text: "All done.",
  conversation: [
    { role: "user", content: "Write the report." },
    { role: "assistant", content: "I look first." },
    { role: "assistant", content: callText(read) },
    { role: "user", content: resultText(read) },
    { role: "assistant", content: callText(write) },
    { role: "user", content: resultText(write) },
    { role: "assistant", content: "All done." },
  ],
  toolCalls: [read, write],
  files: { "notes.md": "old notes", "out/report.md": "one two one" },
  skillsLoaded: [],
};

const task = { id: "1", input: "Write the report.", files: { "notes.md": "old notes" } };

async function passes(check: Check, tools: ScoringTools = {}, did = performance): Promise<boolean | string> {
  const score = await scoreTask({ ...task, checks: [check] }, did, tools);
  return "kind" in score ? score.reason : score.hard === 1;
}

test.each<[string, Check, boolean]>([
  ["the order of tools", { kind: "tool-order", value: { before: "Read", after: "Write" } }, true],
  ["the wrong order", { kind: "tool-order", value: { before: "Write", after: "Read" } }, false],
  ["a tool that was not called", { kind: "tool-order", value: { before: "Read", after: "Bash" } }, false],
  [
    "an order by inputs",
    { kind: "tool-order", value: { before: { name: "Read", matches: "notes\\.md" }, after: "Write" } },
    true,
  ],
  ["a pattern on any tool's input", { kind: "tool-called", value: { name: "*", matches: "notes" } }, true],
  ["a pattern on a tool's input", { kind: "tool-called", value: { name: "Read", matches: "notes" } }, true],
  [
    "an input that does not match",
    { kind: "tool-called", value: { name: "Read", matches: "report" } },
    false,
  ],
  ["no such call", { kind: "tool-called", value: { name: "Read", matches: "report", atMost: 0 } }, true],
  [
    "a count of matches",
    { kind: "regex", value: { pattern: "one", count: 2 }, on: { file: "out/report.md" } },
    true,
  ],
  [
    "another count",
    { kind: "regex", value: { pattern: "one", count: 1 }, on: { file: "out/report.md" } },
    false,
  ],
  [
    "no match at all",
    { kind: "regex", value: { pattern: "three", count: 0 }, on: { file: "./out/report.md" } },
    true,
  ],
  ["the trace", { kind: "regex", value: '"name":"Read","input":\\{"file_path"', on: "trace" }, true],
  ["what a tool gave", { kind: "contains", value: "old notes", on: "trace" }, true],
  [
    "the prompt, which is not in the trace",
    { kind: "contains", value: "Write the report", on: "trace" },
    false,
  ],
  ["the files that were made", { kind: "exact", value: "out/report.md", on: "files" }, true],
  ["a file that was there before", { kind: "contains", value: "notes.md", on: "files" }, false],
  ["a file that is missing", { kind: "contains", value: "x", on: { file: "none.md" } }, false],
  [
    "a missing file, also negated",
    { kind: "contains", value: "x", on: { file: "none.md" }, negate: true },
    false,
  ],
])("a check reads %s", async (_, check, expected) => {
  expect(await passes(check)).toBe(expected);
});

test("the trace has everything that happened in its order, and without a conversation what is known of it", () => {
  const types = traceText(performance)
    .split("\n")
    .map(
      (line) => (JSON.parse(line) as { message: { content: [{ type: string }] } }).message.content[0].type,
    );
  expect(types).toEqual(["text", "tool_use", "tool_result", "tool_use", "tool_result", "text"]);
  expect(traceText(said("Hi"))).toBe(
    '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}]}}',
  );
});

test.each<[Check, string]>([
  [{ kind: "tool-order", value: { before: "Read" } }, "the value of a tool-order check must be"],
  [{ kind: "tool-called", value: { name: "Read", matches: "(a+)+" } }, "repeats a repetition"],
  [{ kind: "tool-called", value: "Read", on: "trace" }, '"on" is for checks of a text'],
  [{ kind: "regex", value: { pattern: "a", count: -1 } }, "the value of a regex check must be"],
  [{ kind: "rubric", value: { text: "Good.", votes: 0 } }, "the value of a rubric check must be"],
  [{ kind: "as-good-as", value: { reference: "x" } }, "the value of an as-good-as check must be"],
])("a broken check is named: %j", (check, problem) => {
  expect(checkTask({ ...task, checks: [check] })).toContain(problem);
});

/** A judge that gives these replies, one after the other, and keeps what it was asked. */
function judging(...replies: readonly object[]) {
  const asked: string[] = [];
  const judge: ScoringTools["judge"] = async ({ prompt }): Promise<Reply> => {
    asked.push(prompt);
    const text = JSON.stringify(replies[(asked.length - 1) % replies.length]);
    return { text, finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } };
  };
  return { asked, tools: { judge } };
}

test.each([
  [[1, 0, 1], 1],
  [[1, 0, 0], 0],
])("of three judgements %j the majority is the one result", async (scores, hard) => {
  const { asked, tools } = judging(...scores.map((score) => ({ reason: "so", score })));
  const check: Check = { kind: "rubric", value: { text: "It is done.", votes: 3 } };
  const score = await scoreTask({ ...task, checks: [check] }, performance, tools);
  expect(score).toMatchObject({ hard, soft: hard });
  expect(asked).toHaveLength(3);
});

test("a judge is shown the part that the check names, and nothing else", async () => {
  const { asked, tools } = judging({ reason: "so", score: 1 });
  await passes({ kind: "rubric", value: "It counts.", on: { file: "out/report.md" } }, tools);
  expect(asked[0]).toContain("one two one");
  expect(asked[0]).not.toContain("All done.");
  expect(asked[0]).not.toContain("tools called");
});

test.each([
  [["first", "second"], false],
  [["second", "first"], true],
  [["first", "first"], true],
  [["tie", "tie"], true],
])("at least as good as a reference: the orders say %j", async (better, expected) => {
  const { asked, tools } = judging(...better.map((one) => ({ reason: "so", better: one })));
  const value = { reference: "An earlier report.", rubric: "It is a report." };
  expect(await passes({ kind: "as-good-as", value }, tools)).toBe(expected);
  expect(asked).toHaveLength(2);
  expect(asked[0]).toContain("An earlier report.");
});

test("a score says what each check came to", async () => {
  const checks: Check[] = [
    { kind: "contains", value: "done" },
    { kind: "contains", value: "gone" },
  ];
  const score = await scoreTask({ ...task, checks }, performance, {});
  expect(score).toMatchObject({ checks: [{ pass: true }, { pass: false, expected: 'to contain "gone"' }] });
});
