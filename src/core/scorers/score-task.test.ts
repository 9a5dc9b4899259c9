import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../json.ts";
import type { Check, Task } from "../tasks/task.ts";
import { checkTask, said, scoreTask } from "./score-task.ts";

const byAnswers = (answers: readonly string[], answer: string) =>
  scoreTask({ id: "1", input: "?", answers }, said(answer), {});

const byChecks = (checks: readonly Check[], answer: string) =>
  scoreTask({ id: "1", input: "?", checks }, said(answer), {});

const byCheck = (kind: string, value: Json, answer: string) => byChecks([{ kind, value }], answer);

test("an exact match of any answer is a pass", async () => {
  expect(await byAnswers(["Pacific Ocean", "Pacific"], "the pacific.")).toEqual({
    hard: 1,
    soft: 1,
    feedback: 'Correct: "the pacific.".',
  });
});

test("a miss has the best word overlap as partial credit and says what was expected", async () => {
  const score = await byAnswers(["Atlantic", "Pacific Ocean"], "ocean of storms");
  expect(score).toMatchObject({ hard: 0 });
  expect("soft" in score && score.soft).toBeCloseTo(2 / 5, 12);
  expect("feedback" in score && score.feedback).toBe(
    'Expected "Atlantic" or "Pacific Ocean"; got "ocean of storms".',
  );
});

test("the same words in another order are full partial credit but no pass", async () => {
  expect(await byAnswers(["salt and pepper"], "pepper and salt")).toMatchObject({ hard: 0, soft: 1 });
});

test.each<[string, Json, string, number]>([
  ["exact", "Yes", " Yes\n", 1],
  ["exact", "Yes", "yes", 0],
  ["contains", "42", "It is 42.", 1],
  ["contains", "42", "It is 24.", 0],
  ["regex", "^\\d+$", "123", 1],
  ["regex", "^\\d+$", "12a", 0],
  ["regex", { pattern: "yes", flags: "i" }, "YES", 1],
  ["f1", { text: "red blue" }, "blue red", 1],
  ["f1", { text: "red blue" }, "red", 0],
  ["f1", { text: "red blue", threshold: 0.6 }, "red", 1],
])("%s %j on %j scores %d", async (kind, value, answer, hard) => {
  expect(await byCheck(kind, value, answer)).toMatchObject({ hard, soft: hard });
});

test("hard is all checks, soft their weighted share", async () => {
  const checks = [
    { kind: "contains", value: "a", weight: 3 },
    { kind: "contains", value: "z" },
  ];
  expect(await byChecks(checks, "abc")).toMatchObject({
    hard: 0,
    soft: 0.75,
    feedback: 'Expected the answer to contain "z"; got "abc".',
  });
  expect(await byChecks(checks, "a to z")).toMatchObject({ hard: 1, soft: 1 });
});

test.each<[string, string, Json, RegExp]>([
  ["an unknown kind", "contain", "a", /unknown kind "contain"; did you mean "contains"/],
  ["an invalid pattern", "regex", "(", /regular expression/],
  ["an invalid flag", "regex", { pattern: "a", flags: "g" }, /flags/],
  ["an endless pattern", "regex", "a".repeat(1001), /1000 characters/],
  ["a pattern that can take for ever", "regex", "^(\\w+)*$", /forever/],
  ["a number for exact", "exact", 42, /must be a text/],
  ["an empty contains", "contains", "", /non-empty/],
  ["a text for f1", "f1", "red", /\{ text, threshold\? \}/],
  ["a threshold beyond 1", "f1", { text: "red", threshold: 2 }, /threshold/],
])("%s is invalid, never a score", async (_, kind, value, reason) => {
  expect(await byCheck(kind, value, "answer")).toEqual({
    kind: "invalid",
    reason: expect.stringMatching(reason),
  });
});

test("an ordinary nested repetition is allowed", async () => {
  expect(await byCheck("regex", "^(\\d+,)+\\d+$", "1,2,3")).toMatchObject({ hard: 1 });
});

test.each<[string, Partial<Task>]>([
  ["neither answers nor checks", {}],
  ["empty lists", { answers: [], checks: [] }],
  ["both", { answers: ["a"], checks: [{ kind: "exact", value: "a" }] }],
  ["a weight of zero", { checks: [{ kind: "exact", value: "a", weight: 0 }] }],
])("a task with %s is invalid", async (_, fields) => {
  const task = { id: "1", input: "?", ...fields };
  expect(await scoreTask(task, said("a"), {})).toMatchObject({ kind: "invalid", reason: checkTask(task) });
});

test("feedback stays short whatever the answer", async () => {
  const score = await byAnswers(["x"], "word \n".repeat(10_000));
  expect("feedback" in score && score.feedback.length).toBeLessThan(300);
});

test("an answer beyond what a regex check reads is a fail, at once", async () => {
  expect(await byCheck("regex", "a", "a".repeat(100_001))).toMatchObject({ hard: 0 });
});

test("no value and no answer makes it throw or leave [0, 1]", async () => {
  const checks = fc.array(
    fc.record({
      kind: fc.constantFrom(
        "exact",
        "contains",
        "regex",
        "f1",
        "number",
        "json",
        "json-schema",
        "section",
        "tool-called",
        "file",
        "all",
        "any",
        "other",
      ),
      value: fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.string({ maxLength: 8 }),
        fc.record({ pattern: fc.string({ maxLength: 8 }), flags: fc.string({ maxLength: 2 }) }),
        fc.record({ text: fc.string(), threshold: fc.double() }),
      ),
      weight: fc.double(),
    }),
    { maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(checks, fc.string({ unit: "binary" }), async (drawn, answer) => {
      const score = await byChecks(drawn, answer);
      if ("kind" in score) {
        expect(score.reason).not.toBe("");
      } else {
        expect([0, 1]).toContain(score.hard);
        expect(score.soft).toBeGreaterThanOrEqual(0);
        expect(score.soft).toBeLessThanOrEqual(1);
      }
    }),
  );
});
