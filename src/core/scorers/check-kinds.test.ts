import fc from "fast-check";
import { expect, test } from "vitest";
import { InfraError, WhetstoneError } from "../errors.ts";
import type { Json } from "../json.ts";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { Reply } from "../ports/model.ts";
import type { Check } from "../tasks/task.ts";
import { lastNumber } from "./text-checks.ts";
import { checkTask, said, scoreTask } from "./score-task.ts";
import type { Performance, ScoringTools } from "./performance.ts";

const score = (checks: readonly Check[], performance: Performance, tools: ScoringTools = {}) =>
  scoreTask({ id: "1", input: "What?", checks }, performance, tools);

const byText = (kind: string, value: Json, text: string) => score([{ kind, value }], said(text));

const ran = (run: Partial<CommandRun>): ScoringTools => ({
  command: async () => ({ exitCode: 0, stdout: "", stderr: "", ended: "exit", ...run }),
});

const judging = (...texts: readonly (string | Partial<Reply>)[]) => {
  const asked: string[] = [];
  const usage = { inputTokens: 1, outputTokens: 1 };
  const judge: ScoringTools["judge"] = async ({ prompt }) => {
    const text = texts[Math.min(asked.length, texts.length - 1)] ?? "";
    asked.push(prompt);
    return { text: "", finish: "stop", usage, ...(typeof text === "string" ? { text } : text) };
  };
  return { asked, tools: { judge } satisfies ScoringTools };
};

const newerSchema = { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ const: 1 }] };
const both = { checks: ["a", "b"].map((value) => ({ kind: "contains", value })) };
const pairSchema = {
  type: "array",
  prefixItems: [{ type: "string" }, { type: "integer" }],
  minItems: 2,
  maxItems: 2,
};

const fenced = 'Here it is:\n```json\n{"a": [1]}\n```\nDone.';

test.each<[string, Json, string, number]>([
  ["icontains", "paris", "It is PARIS.", 1],
  ["icontains", "paris", "It is Rome.", 0],
  ["starts-with", "Yes", "  Yes, it is.", 1],
  ["starts-with", "Yes", "I say Yes", 0],
  ["number", 42, "First 7, in the end 42.", 1],
  ["number", 42, "42 it was, then 7", 0],
  ["number", 1234.5, "The total is 1,234.50 USD", 1],
  ["number", -5, "It is −5 °C", 1],
  ["number", 5, "between 3-5", 1],
  ["number", -5, "The change is -$5.00", 1],
  ["number", 5, "The change is -$5.00", 0],
  ["number", -1234.5, "Your balance is −$1,234.50.", 1],
  ["number", -3, "-€3", 1],
  ["number", -0.5, "-$.5", 1],
  ["number", -5, "$-5", 1],
  ["number", 5, "It costs $10-$5", 1],
  ["number", 3, "5 - 3", 1],
  ["number", { value: 1, tolerance: 0.1 }, "about 1.1", 1],
  ["number", { value: 1, tolerance: 0.1 }, "about 1.11", 0],
  ["number", { value: 200, relative: 0.05 }, "190", 1],
  ["number", { value: 200, relative: 0.05 }, "189", 0],
  ["number", 0, "none", 0],
  ["json", true, "[1, 2]", 1],
  ["json", true, fenced, 1],
  ["json", true, "{a: 1}", 0],
  ["json-schema", { type: "object", required: ["a"] }, fenced, 1],
  ["json-schema", { type: "object", required: ["b"] }, fenced, 0],
  ["json-schema", { type: "object", properties: { a: { items: { type: "string" } } } }, fenced, 0],
  ["json-schema", newerSchema, "[1]", 1],
  ["json-schema", newerSchema, "[2]", 0],
  ["json-schema", pairSchema, '["x", 1]', 1],
  ["json-schema", pairSchema, '[1, "x"]', 0],
  ["json-schema", { allOf: [{ dependentRequired: { a: ["b"] } }] }, '{"a": 1}', 0],
  ["json-schema", { properties: { a: {} }, unevaluatedProperties: false }, '{"a": 1, "z": 2}', 0],
  ["json-schema", { contains: { const: 1 }, maxContains: 1 }, "[1, 1]", 0],
  // a list of items is draft-07, also beside a text that names a newer keyword
  ["json-schema", { description: 'no "prefixItems":', items: [{ const: 1 }] }, "[2]", 0],
  ["json-schema", { $schema: "http://json-schema.org/draft-07/schema#", ...pairSchema }, '[1, "x"]', 1],
  ["json-schema", true, "no JSON at all", 0],
  ["section", "Usage", "# Tool\n\n## Usage\n\nRun it.\n", 1],
  ["section", "# Usage", "# Tool\n\n## Usage\n", 0],
  ["section", { heading: "usage:", contains: "Run" }, "## **Usage**\n\nRun it.\n\n## Rest\n", 1],
  ["section", { heading: "Usage", contains: "Rest" }, "## Usage\n\nRun it.\n\n## Rest\n", 0],
  ["section", { heading: "Usage", contains: "deep" }, "## Usage\n\n### More\n\ndeep\n", 1],
  ["section", "Usage", "```\n# Usage\n```\n", 0],
  ["all", both, "ab", 1],
  ["all", both, "a", 0],
  ["any", both, "b", 1],
  ["any", both, "c", 0],
])("%s %j on %j passes: %d", async (kind, value, text, hard) => {
  expect(await byText(kind, value, text)).toMatchObject({ hard });
  const turned = await score([{ kind, value, negate: true }], said(text));
  expect(turned).toMatchObject({ hard: 1 - hard });
});

test("the last number of a text is found again, however it is written", () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom("x ", "= ", "$", "("),
      (value, before) => {
        expect(lastNumber(`1 ${before}${value}.`)).toBe(Number(String(value)));
      },
    ),
  );
});

test("a set passes by its share from a threshold on, and its share is partial credit", async () => {
  const checks = ["a", "b", "c", "d"].map((value) => ({ kind: "contains", value }));
  expect(await byText("all", { checks, threshold: 0.5 }, "ab")).toMatchObject({ hard: 1, soft: 0.5 });
  expect(await byText("all", { checks }, "ab")).toMatchObject({
    hard: 0,
    soft: 0.5,
    feedback: 'Expected the answer to contain "c"; to contain "d"; got "ab".',
  });
});

test("tools count as called by the events alone, with part of their input", async () => {
  const call = { name: "Bash", input: { command: "ls", where: { cwd: "/x" } }, output: "", failed: false };
  const performance = { ...said("I called Write."), toolCalls: [call, call] };
  const passes = async (value: Json) => score([{ kind: "tool-called", value }], performance);
  expect(await passes("Bash")).toMatchObject({ hard: 1 });
  expect(await passes("Write")).toMatchObject({ hard: 0 });
  expect(await passes({ name: "Bash", input: { where: { cwd: "/x" } } })).toMatchObject({ hard: 1 });
  expect(await passes({ name: "Bash", input: { command: "rm" } })).toMatchObject({ hard: 0 });
  expect(await passes({ name: "Bash", atMost: 1 })).toMatchObject({ hard: 0 });
  expect(await passes({ name: "Write", atMost: 1 })).toMatchObject({ hard: 1 });
  expect(await passes({ name: "Bash", atLeast: 3 })).toMatchObject({
    feedback: expect.stringContaining("at least 3 calls of the tool Bash (there were 2)"),
  });
});

test("files are looked at as they were left", async () => {
  const performance = {
    ...said(""),
    files: { "out/a.txt": "one\ntwo\n", b: "data:application/octet-stream;base64,AAE=" },
  };
  const passes = async (value: Json) => score([{ kind: "file", value }], performance);
  expect(await passes({ path: "./out/a.txt" })).toMatchObject({ hard: 1 });
  expect(await passes({ path: "c" })).toMatchObject({ hard: 0 });
  expect(await passes({ path: "c", exists: false })).toMatchObject({ hard: 1 });
  expect(
    await passes({ path: "out/a.txt", equals: "one\ntwo\n", contains: "two", matches: "^two$" }),
  ).toMatchObject({ hard: 0 });
  expect(await passes({ path: "out/a.txt", matches: { pattern: "^two$", flags: "m" } })).toMatchObject({
    hard: 1,
  });
  expect(await passes({ path: "b", contains: "base64" })).toMatchObject({ hard: 0 });
  expect(await passes({ path: "toString" })).toMatchObject({ hard: 0 });
});

test("a command is handed the workspace and its own files, and passes by exit code 0", async () => {
  const asked: CommandRequest[] = [];
  const tools: ScoringTools = {
    command: async (request) => {
      asked.push(request);
      return { exitCode: asked.length - 1, stdout: "", stderr: "it\nbroke\n", ended: "exit" };
    },
  };
  const checks = [{ kind: "command", value: { run: "pytest", files: { "t.py": "x" }, seconds: 5 } }];
  const performance = { ...said(""), files: { a: "1" } };
  expect(await score(checks, performance, tools)).toMatchObject({ hard: 1 });
  expect(asked).toEqual([
    { argv: ["sh", "-c", "pytest"], files: { a: "1" }, grader: { "t.py": "x" }, seconds: 5 },
  ]);
  expect(await score(checks, performance, tools)).toMatchObject({
    hard: 0,
    feedback: expect.stringContaining('to pass "pytest" (exit code 1: "broke")'),
  });
});

test.each<[string, Partial<CommandRun>, number, number]>([
  ["a score on the last line", { stdout: 'log\n{"score": 0.5}\n' }, 0, 0.5],
  ["a pass on the last line", { stdout: '{"pass": true}' }, 1, 1],
  ["a fail on the last line", { stdout: '{"pass": false, "reason": "no"}' }, 0, 0],
  ["other JSON on the last line", { stdout: "{}" }, 1, 1],
  ["a score with an exit code that is not 0", { exitCode: 1, stdout: '{"score": 1}' }, 0, 0],
  ["running out of time", { exitCode: null, ended: "time" }, 0, 0],
])("a command with %s", async (_, run, hard, soft) => {
  expect(await score([{ kind: "command", value: { run: ["./grade"] } }], said(""), ran(run))).toMatchObject({
    hard,
    soft,
  });
});

test("a command that prints an impossible score is invalid", async () => {
  const checks = [{ kind: "command", value: { run: "x" } }];
  for (const stdout of ['{"score": 7}', '{"score": 1e999}', '{"score": -1e999, "pass": true}'])
    expect(await score(checks, said(""), ran({ stdout }))).toMatchObject({ kind: "invalid" });
});

test("a rubric is judged with task, rubric and answer in view", async () => {
  const { asked, tools } = judging('{"reason": "half of it", "score": 0.5}');
  const checks = [{ kind: "rubric", value: { text: "Names the capital.", threshold: 0.5 } }];
  expect(await score(checks, said("Perhaps Paris"), tools)).toMatchObject({ hard: 1, soft: 0.5 });
  for (const part of ["What?", "Names the capital.", "Perhaps Paris"]) expect(asked[0]).toContain(part);
  expect(await score([{ kind: "rubric", value: "Names it." }], said("x"), tools)).toMatchObject({
    hard: 0,
    soft: 0.5,
    feedback: expect.stringContaining('(the judge gave 0.5: "half of it")'),
  });
});

test.each([
  ["prose", "It is fine."],
  ["another scale", '{"reason": "", "score": 8}'],
  ["a cut reply", { text: '{"reason": "", "score": 1}', finish: "length" } as const],
])("a judge that twice gives %s leaves the task pending", async (_, reply) => {
  const { asked, tools } = judging(reply);
  const scoring = score([{ kind: "rubric", value: "Good." }], said("x"), tools);
  await expect(scoring).rejects.toThrow(InfraError);
  await expect(scoring).rejects.toMatchObject({ class: "no-verdict", retryable: false });
  expect(asked).toHaveLength(2);
});

test("one bad reply of a judge is repaired, and a rounding error is clamped", async () => {
  const { tools } = judging("Hm.", '{"reason": "ok", "score": 1.0000001}');
  expect(await score([{ kind: "rubric", value: "Good." }], said("x"), tools)).toMatchObject({
    hard: 1,
    soft: 1,
  });
});

test("a custom function gives a number, a boolean or a score with its reason", async () => {
  const custom = new Map<string, () => unknown>([
    ["./s.ts#half", () => ({ score: 0.5, reason: "half" })],
    ["./s.ts#yes", async () => true],
    ["./s.ts#nan", () => Number.NaN],
    [
      "./s.ts#throws",
      () => {
        throw new Error("oops");
      },
    ],
    [
      "./s.ts#stops",
      () => {
        throw new WhetstoneError("spend-cap", "Enough.");
      },
    ],
  ]) as unknown as NonNullable<ScoringTools["custom"]>;
  const by = (name: string) => score([{ kind: "custom", value: `./s.ts#${name}` }], said("x"), { custom });
  expect(await by("half")).toMatchObject({ hard: 0, soft: 0.5 });
  expect(await by("yes")).toMatchObject({ hard: 1, soft: 1 });
  expect(await by("nan")).toMatchObject({ kind: "invalid" });
  expect(await by("throws")).toEqual({ kind: "invalid", reason: expect.stringContaining("oops") });
  expect(await by("missing")).toMatchObject({ kind: "invalid" });
  await expect(by("stops")).rejects.toThrow("Enough.");
});

test.each<[string, Json, RegExp]>([
  ["unsupported", "latency", /"latency" aren't supported/],
  ["trigger", "yes", /true or false/],
  ["json-schema", { type: "nonsense" }, /schema can't be used/],
  ["json-schema", { $ref: "https://example.org/x.json" }, /schema can't be used/],
  ["json-schema", { pattern: "(a+)+" }, /forever/],
  ["number", "42", /must be a finite number/],
  ["number", Number.POSITIVE_INFINITY, /isn't finite/],
  ["number", { value: 1e308, relative: 1e10 }, /must be a finite number/],
  ["json-schema", { const: Number.NaN }, /isn't finite/],
  ["command", { run: "" }, /must be \{ run/],
  ["file", { path: "a", exists: false, contains: "b" }, /must not exist/],
  ["file", { path: "a", matches: "(" }, /regular expression/],
  ["custom", "a#b#c", /file\.ts#name/],
  ["rubric", " ", /must be a text/],
  ["all", { checks: [] }, /checks of their own/],
  [
    "any",
    { checks: [{ kind: "regexp", value: "a" }] },
    /check 1 \(any\): check 1 has the unknown kind "regexp"/,
  ],
])("a %s check of %j is found to be broken before anything runs", async (kind, value, reason) => {
  const task = { id: "1", input: "?", checks: [{ kind, value }] };
  expect(checkTask(task)).toMatch(reason);
  const never = async () => {
    throw new Error("asked");
  };
  expect(await scoreTask(task, said("x"), { judge: never, command: never })).toMatchObject({
    kind: "invalid",
  });
});

test("checks that need a judge, a sandbox or another environment say so", async () => {
  for (const [kind, value] of [
    ["rubric", "Good."],
    ["command", { run: "x" }],
    ["trigger", true],
  ] as const) {
    expect(checkTask({ id: "1", input: "?", checks: [{ kind, value }] })).toBeUndefined();
    expect(await score([{ kind, value }], said("x"))).toMatchObject({ kind: "invalid" });
  }
});

test("what takes too long because of the answer is a fail, also where the check is negated", async () => {
  const text = `${"a".repeat(60)}b`;
  const slow = { kind: "regex", value: "^(a|aa)+$" };
  const failed = { hard: 0, soft: 0, feedback: expect.stringContaining("within a second") };
  expect(await byText("regex", "^(a|aa)+$", text)).toMatchObject(failed);
  expect(await score([{ ...slow, negate: true }], said(text))).toMatchObject(failed);
  expect(await score([{ kind: "any", value: { checks: [slow] }, negate: true }], said(text))).toMatchObject({
    hard: 0,
    soft: 0,
  });
  const file = { kind: "file", value: { path: "a", matches: "^(a|aa)+$" } };
  expect(await score([file], { ...said(""), files: { a: text } })).toMatchObject({ hard: 0 });
  const long = said("b".repeat(100_001));
  expect(await score([{ kind: "regex", value: "a+", negate: true }], long)).toMatchObject({ hard: 0 });
  const longest = said("b".repeat(1_000_001));
  expect(await score([{ kind: "contains", value: "a", negate: true }], longest)).toMatchObject({ hard: 0 });
});

test("no number that overflowed equals anything", async () => {
  for (const text of ["I do not know. 1e999", "-1e400", "9".repeat(400), "Infinity", "NaN"]) {
    expect(await byText("number", 3, text)).toMatchObject({ hard: 0 });
    expect(await byText("number", { value: -7.5, tolerance: 1e300 }, text)).toMatchObject({ hard: 0 });
    expect(await byText("json", true, text)).toMatchObject({ hard: 0 });
    expect(await byText("json-schema", { minimum: 1 }, text)).toMatchObject({ hard: 0 });
    expect(await byText("json", true, `{"a": [${text}]}`)).toMatchObject({ hard: 0 });
  }
  const heavy = [1e308, 1e308].map((weight) => ({ kind: "contains", value: "a", weight }));
  expect(checkTask({ id: "1", input: "?", checks: heavy })).toMatch(/weight/);
});
