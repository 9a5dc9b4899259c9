import { expect, test } from "vitest";
import type { Check, Splits, Task } from "../tasks/task.ts";
import { findSeedLeak } from "./seed-leak.ts";

const capitals = [
  ["Which city is the capital of Norway?", "Oslo"],
  ["Which city is the capital of Ghana?", "Accra"],
  ["Which city is the seat of the Bolivian government?", "La Paz"],
  ["Which harbour did Imre Valdasson sail from in his last year?", "Stykkisholmur"],
];
const task = (id: string, input: string, answers: readonly string[]): Task => ({ id, input, answers });
const questions = capitals.map(([input = "", answer = ""], at) => task(`capital-${at}`, input, [answer]));
const held = (tasks: readonly Task[]): Splits => ({
  train: [],
  val: tasks.slice(0, 2),
  test: tasks.slice(2),
});
const never: (file: string) => boolean = () => false;

const leakIn = (files: Readonly<Record<string, string>>, splits = held(questions), isWaived = never) =>
  findSeedLeak({ main: "SKILL.md", files: { "SKILL.md": "# Cities\n", ...files } }, splits, isWaived);

test("a question with its answer is a copy in any file, and told with file, split and task", () => {
  const copy = "Q: Which city is the capital of Norway?\nA: Oslo\n";
  const leak = { taskId: "capital-0", how: "quoted" };
  expect(leakIn({ "SKILL.md": copy })).toMatchObject({ file: "SKILL.md", split: "val", leak });
  expect(leakIn({ "references/faq.md": copy })).toMatchObject({
    file: "references/faq.md",
    leak: { taskId: "capital-0" },
  });
  const due = {
    id: "due-1",
    input: "When is note 4001 due?",
    checks: [{ kind: "regex", value: "^2026-03-11$" }],
  };
  expect(leakIn({ "a.md": "When is note 4001 due? 2026-03-11" }, held([due]))).toMatchObject({
    leak: { taskId: "due-1", field: "checks[0]" },
  });
  expect(leakIn({ "a.md": "capital-3: Stykkisholmur" })).toMatchObject({
    split: "test",
    leak: { taskId: "capital-3" },
  });
});

test("what train tasks know may stand in a skill, and so may what was waived", () => {
  const copy = { "references/faq.md": "Which city is the capital of Norway? Oslo" };
  expect(leakIn(copy, { train: questions, val: [task("x", "Other?", ["x"])], test: [] })).toBeUndefined();
  expect(leakIn(copy, held(questions), (file) => file === "references/faq.md")).toBeUndefined();
  expect(leakIn(copy, { train: questions, val: [], test: [] })).toBeUndefined();
});

test("a rule of the main file may name answers; a file beside it may not give them away", () => {
  const rule = "Norway's capital is Oslo, Ghana has Accra.";
  expect(leakIn({ "SKILL.md": rule })).toBeUndefined();
  const list = { "notes.md": "Oslo, Accra, La Paz" };
  expect(leakIn(list)).toMatchObject({ leak: { how: "list" } });
  expect(leakIn({ "SKILL.md": list["notes.md"] })).toBeUndefined();
});

test("many answers in a row are a copy in the main file too", () => {
  const many = Array.from({ length: 10 }, (_, at) =>
    task(`t${at}`, `What is thing ${at} called?`, [`word${at}x`]),
  );
  const list = many.map(({ answers = [] }) => answers[0]).join("\n");
  expect(leakIn({ "SKILL.md": list }, held(many))).toMatchObject({ leak: { how: "list" } });
});

test("labels, short questions, rubrics and what an answer must not hold are ordinary words of a skill", () => {
  const labels = ["billing", "refund", "other", "Yes", "No"];
  const tickets = Array.from({ length: 20 }, (_, at) =>
    task(`ticket-${at}`, at % 5 === 0 ? "refund" : `Ticket about matter ${at}, please help me.`, [
      labels[at % labels.length] ?? "",
    ]),
  );
  const skill =
    "Answer with one of: billing, refund, other. A refund goes to billing. Say Yes or No where asked.";
  const both = { "SKILL.md": skill, "references/labels.md": skill };
  expect(leakIn(both, held(tickets))).toBeUndefined();
  const checked = (check: Check): Task => ({
    id: "bill-1",
    input: "Bill three hours of work.",
    checks: [check],
  });
  const rule = "Always name the currency and the day when the bill is due in the first line.";
  const texts = { "SKILL.md": rule, "references/house.md": rule };
  expect(leakIn(texts, held([checked({ kind: "rubric", value: rule })]))).toBeUndefined();
  expect(leakIn(texts, held([checked({ kind: "contains", value: rule, negate: true })]))).toBeUndefined();
  expect(
    leakIn(texts, { train: [], val: [checked({ kind: "contains", value: rule })], test: [] }),
  ).toMatchObject({ file: "references/house.md", leak: { field: "checks[0]" } });
});
