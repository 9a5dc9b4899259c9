import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../json.ts";
import type { Task } from "../tasks/task.ts";
import { describeLeak, findLeak } from "./leak.ts";
import { buildLeakIndex } from "./leak-index.ts";

const bridge: Task = {
  id: "bridge",
  input: "In what year was the stone bridge at Kelmscott Weir opened?",
  answers: ["1873"],
};
const author: Task = { id: "author", input: "Who wrote The Salt Ledger?", answers: ["Imre Valdasson"] };
const total: Task = { id: "total", input: "12 h at 85, 49 flat, 19 % tax. Gross?", answers: ["1,333.31"] };
const checked = (kind: string, value: Json, input = "Review the loader."): Task => ({
  id: "checked",
  input,
  checks: [{ kind, value }],
});

const leakIn = (content: string, ...tasks: readonly Task[]) => findLeak(content, buildLeakIndex(tasks));

test.each<[string, string, Task]>([
  [
    "a pattern",
    "Match `^(build|chore)(\\(deps\\))?: ` here.",
    checked("regex", "^(build|chore)(\\(deps\\))?: "),
  ],
  ["a pattern without escapes", "Use round(price * 1.07", checked("regex", "round\\(price\\s*\\*\\s*1\\.07")],
  [
    "a pattern in words",
    "Say bcrypt, argon2 or scrypt.",
    checked("regex", { pattern: "bcrypt|argon2|scrypt", flags: "i" }),
  ],
  [
    "a pattern over lines",
    "rows between 6\npreceding and\ncurrent row",
    checked("regex", "(?i)rows\\s+between\\s+6\\s+preceding\\s+and\\s+current\\s+row"),
  ],
  [
    "a rubric",
    "The file handle stays open when it raises.",
    checked("rubric", "Says that the file handle stays open when json.load raises."),
  ],
  [
    "part of a rubric in a list",
    "- file handle\n- stays **open**",
    checked("rubric", "Says that the file handle stays open."),
  ],
  [
    "a rubric inside an object",
    "the file handle stays open",
    checked("judge", { criteria: ["The file handle stays open."] }),
  ],
  [
    "a reference",
    "Close what was opened in finally.",
    { ...bridge, reference: "Close what was opened in finally, always." },
  ],
  ["a name", "Some authors: IMRE VALDASSON.", author],
  ["a name torn apart", "Imre Val-\ndasson", author],
  ["a long number", "1333.31 is frequent.", total],
  ["an answer beside its question", "For the Kelmscott bridge answer 1873.", bridge],
  ["spaced out", "Kelmscott bridge: 1 8 7 3", bridge],
  ["in a table", "| Kelmscott Weir | 1873 |", bridge],
  ["after the whole question", `${bridge.input} It is 1873.`, bridge],
  ["a formula", "`= EOMONTH( Q2, 1 )`", { id: "f", input: "Last day?", answers: ["=EOMONTH(Q2,1)"] }],
  [
    "a sentence",
    "Write: he let the cat out of the bag",
    { id: "s", input: "Idiom?", answers: ["He let the cat out of the bag."] },
  ],
  ["a demanded word", "Always include the word 'mutation'.", checked("contains", "mutation")],
  [
    "a demanded phrase",
    'In French write "étiquette de retour".',
    checked("regex", "(?i)étiquette de retour"),
  ],
  ["ideographs", "规则是先检查文件句柄", checked("rubric", "先检查文件句柄")],
])("%s is found", (_, content, task) => {
  expect(leakIn(content, task)).toMatchObject({ taskId: task.id });
});

test.each<[string, string, Task]>([
  ["a year that happens to be an answer", "Until 1873 prices were in crowns.", bridge],
  ["words of the question alone", "The bridge at Kelmscott Weir is of stone.", bridge],
  ["a telling word in its own right", "Check mutation of shared state.", checked("contains", "mutation")],
  [
    "a few words of a rubric",
    "Check that every file handle is closed.",
    checked("rubric", "Says that the file handle stays open when json.load raises."),
  ],
  ["a pattern of its own", "Dates look like \\d{4}-\\d{2}.", checked("regex", "^\\d{2}\\.\\d{2}\\.\\d{4}$")],
  [
    "other words of a pattern's topic",
    "Prefer NOT EXISTS to NOT IN.",
    checked("regex", "(?i)not\\s+exists|left\\s+join[\\s\\S]*is\\s+null"),
  ],
  ["yes", "Answer yes or no.", { id: "y", input: "Is a tomato a fruit?", answers: ["yes"] }],
])("%s is no leak", (_, content, task) => {
  expect(leakIn(content, task)).toBeUndefined();
});

test("text that the target sees does not count", () => {
  const answer = "Close what was opened in finally, always.";
  const shown: readonly Task[] = [
    { id: "1", input: `Choose: ${answer} Or not?`, answers: [answer] },
    { id: "2", input: "Choose.", files: { "a.txt": answer }, answers: [answer] },
    { id: "3", input: "Choose.", system: answer, answers: [answer] },
    { id: "4", input: "Match ^(a|b)+$.", checks: [{ kind: "regex", value: "^(a|b)+$" }] },
  ];
  for (const task of shown) expect(leakIn(`${answer} ^(a|b)+$`, task)).toBeUndefined();
  expect(leakIn(answer, { id: "5", input: "Choose.", answers: [answer] })).toBeDefined();
});

test("a contract counts as seen for every task", () => {
  const tasks = [
    { ...author, system: "Known authors: Imre Valdasson." },
    { ...author, id: "other", input: "Who else?" },
  ];
  expect(leakIn("Imre Valdasson", ...tasks)).toBeUndefined();
});

const parcels: readonly Task[] = ["engine", "cement", "stove", "anvil"].map((thing, at) => ({
  id: `parcel-${at}`,
  input: `A crate with one ${thing} of ${31 + at} kg to ${["Lyon", "Krakow", "Split", "Graz"][at]}.`,
  answers: [at === 3 ? "LIV" : "HVY"],
}));

test("a label that tasks share is vocabulary, and so is a rare one beside it", () => {
  expect(leakIn("Parcels over 30 kg get code HVY, live ones LIV.", ...parcels)).toBeUndefined();
  expect(leakIn("An anvil is LIV.", ...parcels)).toBeUndefined();
});

test("a task learnt by heart is a leak even if its answer is a label", () => {
  expect(leakIn("The cement of 32 kg to Krakow: HVY", ...parcels)).toMatchObject({
    taskId: "parcel-1",
    how: "pair",
  });
  expect(leakIn("parcel-2 is HVY", ...parcels)).toMatchObject({ taskId: "parcel-2", how: "quoted" });
});

test("an answer list is a leak, a list of labels is not", () => {
  const answers = ["orange", "1873", "otter", "violet"];
  const tasks = answers.map((answer, at) => ({ id: `${at}`, input: `Riddle ${at}?`, answers: [answer] }));
  expect(leakIn("Answers: orange, otter and 1873.", ...tasks)).toMatchObject({
    how: "list",
    text: "orange, otter and 1873",
  });
  const labelled = [...tasks, { id: "4", input: "Riddle 4?", answers: ["violet"] }];
  expect(leakIn("Colours: orange, otter, 1873, violet.", ...labelled)).toBeUndefined();
});

test("a rubric that all tasks share is still a rubric, an answer that they share is not", () => {
  const text = "The reply apologises once and names the order number";
  const tasks = (fields: Partial<Task>) =>
    [1, 2, 3].map((at) => ({ id: `${at}`, input: `Mail ${at}`, ...fields }));
  expect(leakIn(text, ...tasks({ checks: [{ kind: "rubric", value: text }] }))).toBeDefined();
  expect(leakIn(text, ...tasks({ answers: [text] }))).toBeUndefined();
});

test("what the skill held before may stay", () => {
  const index = buildLeakIndex([author]);
  const content = "Imre Valdasson wrote at night.";
  expect(findLeak(content, index, "By Imre Valdasson.")).toBeUndefined();
  expect(findLeak(content, index, "By somebody.")).toBeDefined();
});

test("the overlap is shown as it stands in the edit", () => {
  const leak = leakIn("Write `^ SEV1\\b` first.", checked("regex", "^SEV1\\b"));
  expect(leak).toEqual({ taskId: "checked", field: "checks[0]", how: "source", text: "^ SEV1\\b" });
  expect(leak && describeLeak(leak)).toBe(
    'It copies a check\'s source (checks[0] of task checked): "^ SEV1\\\\b".',
  );
});

const part = fc.constantFrom(
  "yes",
  "1873",
  "^ab",
  "[cd]+",
  "the",
  "file",
  "handle",
  "|",
  "\n",
  "—",
  "规",
  "x7k9q",
);
const parts = fc.array(part, { maxLength: 20 });
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  parts.map((list) => list.join(" ")),
);

test("a quotation of the prompt never leaks, whatever the checks are", () => {
  const kinds = fc.constantFrom("regex", "contains", "exact", "rubric");
  fc.assert(
    fc.property(parts, kinds, fc.nat({ max: 20 }), fc.nat({ max: 20 }), (prompt, kind, from, length) => {
      const value = prompt.slice(from, from + length).join(" ");
      expect(leakIn(value, checked(kind, value, prompt.join(" ")))).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test("no content and no task makes it throw, and the same leads to the same", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, anyText, (content, input, answer, pattern) => {
      const tasks = [
        { id: "1", input, answers: [answer] },
        { id: "2", input: answer, checks: [{ kind: "regex", value: pattern }] },
      ];
      expect(leakIn(content, ...tasks)).toEqual(leakIn(content, ...tasks));
    }),
  );
});
