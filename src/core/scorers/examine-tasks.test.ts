import { expect, test } from "vitest";
import { singleFileSkill } from "../skill/skill.ts";
import type { Check, Task } from "../tasks/task.ts";
import { type ExamineInput, examineTasks } from "./examine-tasks.ts";

const skill = singleFileSkill("# Geography\n\nAnswer in one word.\n");

/** What is found about one task, as `problem status: text`. */
async function examine(task: Partial<Task>, rest: Partial<ExamineInput> = {}) {
  const tasks = [{ id: "t1", input: "Name the capital of France.", ...task }];
  const examined = await examineTasks({ tasks, skill, tools: {}, ...rest });
  const findings = examined.findings.filter(({ problem }) => problem !== "degenerate");
  const { notRun } = examined;
  return { found: findings.map(({ problem, status, text }) => `${problem} ${status}: ${text}`), notRun };
}

const byChecks = async (...checks: readonly Check[]) => (await examine({ checks })).found;
const contains = (value: string): Check => ({ kind: "contains", value });

test("sound checks give no finding", async () => {
  expect(await byChecks(contains("Paris"))).toEqual([]);
  expect((await examine({ answers: ["Paris"] })).found).toEqual([]);
  expect(await byChecks(contains("Paris"), { ...contains("London"), negate: true })).toEqual([]);
});

test("a task that anything passes is found", async () => {
  expect(await byChecks({ kind: "regex", value: ".*" })).toEqual([
    "constant-pass fail: an empty answer, nonsense and the prompt itself all pass",
  ]);
  expect(await byChecks({ ...contains("London"), negate: true })).toEqual([
    expect.stringContaining("constant-pass fail"),
  ]);
});

test("a check that anything passes is found beside one that works", async () => {
  const file = { kind: "file", value: { path: "a.txt" } };
  const { found } = await examine({ checks: [contains("Paris"), file], files: { "a.txt": "given" } });
  expect(found).toEqual([expect.stringMatching(/^constant-pass warn: check 2 \(file\)/)]);
  const forbidden = { kind: "file", value: { path: "b.txt", exists: false } };
  expect(await byChecks(contains("Paris"), forbidden)).toEqual([]);
});

test("what degenerate answers pass is found by kind: it fails, is waived, or is good to know", async () => {
  const ofChecks = async (checks: readonly Check[], waive: readonly string[] = []) => {
    const tasks = [{ id: "t1", input: "Name the capital of France.", checks }];
    const { findings } = await examineTasks({ tasks, skill, tools: {}, waive });
    return findings.flatMap(({ problem, status, text }) =>
      problem === "degenerate" ? [`${status}: ${text}`] : [],
    );
  };
  const forbids = { ...contains("London"), negate: true };
  expect(await ofChecks([forbids])).toEqual([
    expect.stringMatching(/^fail: not contains is passed by an empty/),
  ]);
  expect(await ofChecks([forbids], ["not contains"])).toEqual([expect.stringMatching(/^warn: /)]);
  expect(await ofChecks([contains("Paris"), forbids])).toEqual([
    "note: contains is passed by the checks' own words on 1 of 1 task that uses it",
  ]);
  expect(await ofChecks([contains("France")])).toEqual([
    expect.stringMatching(/^fail: contains is passed by the prompt, given back/),
  ]);
});

test("a prompt that passes by itself leaks", async () => {
  expect(await byChecks(contains("France"))).toEqual([
    "leaking warn: the prompt itself, repeated as the answer, passes",
  ]);
  const { found } = await examine({
    input: "Copy this: the quick brown fox jumps.",
    answers: ["The quick brown fox jumps"],
  });
  expect(found).toEqual(['leaking warn: the prompt contains the answer: "quick brown fox jumps"']);
});

test("checks that contradict each other, or the reference, are found", async () => {
  expect(await byChecks({ kind: "exact", value: "Paris" }, contains("Lyon"))).toEqual([
    'constant-fail fail: the answer that its exact check wants fails its other checks: Expected the answer to contain "Lyon"; got "Paris".',
  ]);
  expect((await examine({ checks: [contains("Paris")], reference: "It is Lyon." })).found).toEqual([
    expect.stringMatching(/^constant-fail warn: its own reference fails/),
  ]);
  const rollouts = new Map([["t1", [0, 0, 0, 0, 0]]]);
  expect((await examine({ checks: [contains("Paris")] }, { rollouts })).found).toEqual([
    "constant-fail warn: failed in all 5 rollouts on record",
  ]);
});

test("a function that wavers is found", async () => {
  let calls = 0;
  const tools = { custom: new Map([["./s.ts#odd", () => (calls++ % 2 === 0 ? 1 : 0)]]) };
  const checks = [{ kind: "custom", value: "./s.ts#odd" }, contains("Paris")];
  expect((await examine({ checks }, { tools })).found).toContainEqual(
    expect.stringMatching(/^flaky fail: check 1 \(custom\) scored one answer (0, 1, 0|1, 0, 1)$/),
  );
});

test("what is there twice is found", async () => {
  expect(await byChecks(contains("Paris"), { ...contains("Paris"), weight: 2 })).toEqual([
    "duplicate warn: check 2 (contains) is check 1 again, so it counts twice",
  ]);
  const tasks = ["a", "b"].map((id) => ({ id, input: "Name the capital of France.", answers: ["Paris"] }));
  const { findings } = await examineTasks({ tasks, skill, tools: {} });
  expect(findings).toEqual([
    expect.objectContaining({ problem: "duplicate", tasks: ["a", "b"], text: "ask the same" }),
  ]);
});

test("answers that stand in the skill are found, each of them", async () => {
  const tasks = [
    { id: "a", input: "Which code opens the north gate?", answers: ["48151623"] },
    { id: "b", input: "Which code opens the south gate?", answers: ["42108999"] },
  ];
  const leaky = singleFileSkill("The codes are 48151623 and, later, 42108999.\n");
  const { findings } = await examineTasks({ tasks, skill: leaky, tools: {} });
  expect(findings.map(({ problem, status, tasks: ids }) => [problem, status, ...ids])).toEqual([
    ["leaking", "fail", "a"],
    ["leaking", "fail", "b"],
  ]);
});

test("what cannot be tried here is counted, and a broken check is named", async () => {
  const checks = [
    { kind: "rubric", value: "Good." },
    { kind: "command", value: { run: "x" } },
  ];
  expect(await examine({ checks })).toEqual({ found: [], notRun: { rubric: 1, command: 1 } });
  expect(await byChecks({ kind: "regex", value: "(" })).toEqual([
    expect.stringMatching(/^invalid fail: check 1/),
  ]);
});
