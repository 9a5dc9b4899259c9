import { expect, test } from "vitest";
import { WhetstoneError } from "../errors.ts";
import { parseTasks } from "./parse-tasks.ts";

const refusal = (rows: unknown): WhetstoneError => {
  try {
    parseTasks(rows, "tasks.jsonl");
  } catch (error) {
    if (error instanceof WhetstoneError) return error;
    throw error;
  }
  throw new Error("the rows were accepted");
};

const good = { id: "1", input: "Capital of France?", answers: ["Paris"] };

test("the original's rows load as they are", () => {
  const rows = [{ id: "2", question: "Largest ocean on Earth?", answers: ["Pacific Ocean", "Pacific"] }];
  expect(parseTasks(rows, "seed")).toEqual([
    { id: "2", input: "Largest ocean on Earth?", answers: ["Pacific Ocean", "Pacific"] },
  ]);
});

test("a row with every field keeps them all", () => {
  const row = {
    id: "a",
    input: "Sum it",
    system: "Answer in JSON.",
    checks: [
      { kind: "contains", value: "42", weight: 2 },
      { kind: "f1", value: { text: "x" } },
    ],
    reference: "from the manual",
    files: { "data.csv": "1,2" },
    type: "sum",
    group: "invoice 7",
    weight: 2,
    metadata: { level: [1, null, { deep: true }] },
  };
  expect(parseTasks([row], "x")).toEqual([row]);
});

test("numbers as ids and answers become texts", () => {
  expect(parseTasks([{ id: 7, input: "6 × 7?", answers: [42] }], "x")).toEqual([
    { id: "7", input: "6 × 7?", answers: ["42"] },
  ]);
});

test("rows that an environment scores need neither answers nor checks", () => {
  const rows = [{ id: "1", input: "Win the game", metadata: { seed: 5 } }];
  expect(parseTasks(rows, "x", { needsScoring: false })).toEqual(rows);
});

test.each<[string, unknown, RegExp, RegExp]>([
  ["no list", { tasks: [] }, /isn't a list/, /JSON array/],
  ["no rows", [], /contains no tasks/, /Capital of France/],
  ["a row that is no object", [good, "x"], /row 2 isn't an object/, /Write rows/],
  ["a mistyped key", [{ ...good, anwsers: [] }], /row 1.*"anwsers".*"answers"/, /Rename/],
  ["a strange key", [{ ...good, difficulty: 3 }], /"difficulty" is unknown\./, /metadata/],
  [
    "a mistyped key in a check",
    [{ id: "1", input: "?", checks: [{ kind: "exact", value: "a", wieght: 1 }] }],
    /"checks\.0\.wieght".*"weight"/,
    /Rename/,
  ],
  ["a repeated id", [good, { ...good, input: "x" }], /row 2: row 1 already has the id "1"/, /id of its own/],
  [
    "an id that is neither",
    [{ id: true, input: "?", answers: ["a"] }],
    /row 1: "id" must be a string or a number/,
    /Correct/,
  ],
  ["no input", [{ id: "1", answers: ["a"] }], /row 1 asks nothing/, /`input`/],
  ["a blank input", [{ ...good, input: " \n" }], /row 1 asks nothing/, /`input`/],
  ["input and question", [{ ...good, question: "?" }], /both "input" and "question"/, /Keep one/],
  ["nothing to score by", [{ id: "1", input: "?" }], /neither "answers" nor "checks"/, /Add/],
  [
    "both ways to score",
    [{ ...good, checks: [{ kind: "exact", value: "a" }] }],
    /both "answers"/,
    /Keep one/,
  ],
  ["no answers", [{ ...good, answers: [] }], /"answers" must name at least one/, /Correct/],
  ["a text for answers", [{ ...good, answers: "Paris" }], /"answers"/, /Correct/],
  ["a weight of zero", [{ ...good, weight: 0 }], /"weight" must be a number above 0\./, /Correct/],
  [
    "a check without its value",
    [{ id: "1", input: "?", checks: [{ kind: "regex", pattern: "(" }] }],
    /row 1: "checks\.0\.value" is missing; the value of a regex check must be a pattern, or \{ pattern, flags\?, count\? \} with flags of i, m, s, u, v\.$/,
    /Write the check as \{ "kind": "regex", "value": … \}\./,
  ],
  [
    "a check of an unknown kind without its value",
    [{ id: "1", input: "?", checks: [{ kind: "contain" }] }],
    /"checks\.0\.value" is missing; its check has the unknown kind "contain"; did you mean "contains"\?$/,
    /Write the check/,
  ],
])("%s is an error with its row and the next step", (_, rows, problem, hint) => {
  const error = refusal(rows);
  expect(error.code).toBe("tasks-invalid");
  expect(error.message).toMatch(/^tasks\.jsonl/);
  expect(error.message).toMatch(problem);
  expect(error.hint).toMatch(hint);
});

test("rows without an id are numbered by their place, and keep those that have one", () => {
  const row = { input: "?", answers: ["x"] };
  const ids = (prefix?: string) =>
    parseTasks([row, { ...row, id: 7 }, row], "t.jsonl", { idPrefix: prefix }).map(({ id }) => id);
  expect(ids()).toEqual(["row-1", "7", "row-3"]);
  expect(ids("val-")).toEqual(["val-row-1", "7", "val-row-3"]);
  expect(() => parseTasks([{ ...row, id: "row-2" }, row], "t.jsonl")).toThrow(
    /row 2: row 1 already has the id "row-2"/,
  );
});

test("limits of a rollout are positive numbers", () => {
  const row = { input: "?", answers: ["x"] };
  expect(parseTasks([{ ...row, limits: { seconds: 2, usd: 0.1 } }], "t")[0]?.limits).toEqual({
    seconds: 2,
    usd: 0.1,
  });
  expect(() => parseTasks([{ ...row, limits: { seconds: 0 } }], "t")).toThrow(
    /"limits\.seconds" must be a number above 0/,
  );
  expect(() => parseTasks([{ ...row, limits: { turns: 3 } }], "t")).toThrow(/limits/);
});

test("a row that is nested too deep to be read is refused", () => {
  const deep: unknown = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
  const row = { id: "1", input: "x", checks: [{ kind: "exact", value: deep }] };
  expect(() => parseTasks([row], "tasks.json")).toThrow(/row 1 is nested more than 100 levels deep/);
});

test("a number that is too large for one is refused where it stands", () => {
  const rows: unknown = JSON.parse(
    '[{"id": "1", "input": "1 + 1?", "checks": [{"kind": "number", "value": 1e999}]}]',
  );
  expect(() => parseTasks(rows, "t.json")).toThrow(
    /row 1: "checks.0.value" must be JSON, and every number in it finite/,
  );
});
