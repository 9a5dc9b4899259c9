import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { disjointSets } from "./disjoint-sets.ts";
import { findNearDuplicates, inputWords } from "./near-duplicates.ts";
import type { Task } from "./task.ts";

const tasksOf = (inputs: readonly string[]): readonly Task[] =>
  inputs.map((input, at) => ({ id: `${at}`, input }));

const areDuplicates = (a: string, b: string): boolean => findNearDuplicates(tasksOf([a, b])).length > 0;

const words = (count: number, prefix = "w") =>
  Array.from(
    { length: count },
    (_, at) => prefix + "abcdefghij"[at % 10] + "klmnopqrst"[Math.floor(at / 10)],
  );

test("case, width, quotes, spaces and final punctuation make no difference", () => {
  expect(areDuplicates("What is the capital of France?", "what is  the Capital of “France”")).toBe(true);
  expect(areDuplicates("你好 世界", "你好世界。".slice(0, 4))).toBe(true);
});

test("short inputs are the same only when equal", () => {
  expect(areDuplicates("What is the capital of France?", "What is the capital of Italy?")).toBe(false);
  expect(areDuplicates("Compute 1 + 2", "Compute 1 - 2")).toBe(false);
  expect(areDuplicates("5!", "5")).toBe(false);
});

test("one changed word makes a sentence different and a long text not", () => {
  const changed = (count: number) =>
    areDuplicates(
      words(count).join(" "),
      words(count)
        .with(Math.floor(count / 2), "other")
        .join(" "),
    );
  expect(changed(8)).toBe(false);
  expect(changed(58)).toBe(false);
  expect(changed(59)).toBe(true);
  expect(changed(100)).toBe(true);
});

test("a shared template with other values is another task, however long it is", () => {
  const template = words(200).join(" ");
  expect(areDuplicates(`Case 17: ${template}`, `Case 18: ${template}`)).toBe(false);
  expect(areDuplicates(`${template} costs $5 today`, `${template} costs $6 today`)).toBe(false);
  expect(areDuplicates(`${template} a + b`, `${template} a - b`)).toBe(false);
  expect(areDuplicates(`Case 17: ${template}`, `Case 17: ${template} please`)).toBe(true);
});

test("the same question about other files is another task", () => {
  const input = "Fix the failing test in this repository and explain what was wrong";
  const [one, other] = [{ "a.ts": "1" }, { "a.ts": "2" }];
  const tasks = [one, other, one].map((files, at) => ({ id: `${at}`, input, files }));
  expect(findNearDuplicates(tasks)).toEqual([{ first: 0, second: 2, similarity: 1 }]);
});

test("where only an environment can score, other metadata is another task", () => {
  const play = (seed: number, answers?: readonly string[]) => ({
    id: `${seed}`,
    input: "Win the game",
    metadata: { seed },
    ...(answers && { answers }),
  });
  expect(findNearDuplicates([play(1), play(2)])).toEqual([]);
  expect(findNearDuplicates([play(1, ["x"]), play(2, ["x"])])).toHaveLength(1);
});

test("clusters are those of comparing every pair", () => {
  const text = fc
    .tuple(
      fc.integer({ min: 5, max: 90 }),
      fc.array(fc.tuple(fc.nat(89), fc.constantFrom("x", "y")), { maxLength: 3 }),
    )
    .map(([count, changes]) => {
      const base = words(count);
      for (const [at, word] of changes) if (at < count) base[at] = word;
      return base.join(" ");
    });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 25 }), (inputs) => {
      const [fast, slow] = [disjointSets(inputs.length), disjointSets(inputs.length)];
      for (const { first, second } of findNearDuplicates(tasksOf(inputs))) fast.join(first, second);
      for (const [a, one] of inputs.entries())
        for (const [b, other] of inputs.entries()) if (sameByDefinition(one, other)) slow.join(a, b);
      expect(inputs.map((_, at) => fast.find(at))).toEqual(inputs.map((_, at) => slow.find(at)));
    }),
  );
});

test("ten thousand tasks of a hundred words are compared, also when all are alike", () => {
  const random = seededRandom("near-duplicates");
  const vocabulary = words(100).flatMap((word) => words(50, word));
  const pick = () => vocabulary[Math.floor(random() * vocabulary.length)] ?? "";
  const inputs = Array.from({ length: 10_000 }, () => Array.from({ length: 100 }, pick).join(" "));
  const alike = words(100);
  const variants = inputs.map((_, at) => alike.with(at % 100, `v${pick()}`).join(" "));
  const links = findNearDuplicates(tasksOf([...inputs, inputs[7] ?? ""]));
  expect(links).toEqual([{ first: 7, second: 10_000, similarity: 1 }]);
  expect(findNearDuplicates(tasksOf(variants)).length).toBeGreaterThan(0);
});

function sameByDefinition(a: string, b: string): boolean {
  const [one, other] = [inputWords(a), inputWords(b)];
  if (one.join(" ") === other.join(" ")) return true;
  if (one.length < 8 || other.length < 8) return false;
  const shingles = (list: readonly string[]) =>
    new Set(list.slice(2).map((word, at) => `${list[at]} ${list[at + 1]} ${word}`));
  const [left, right] = [shingles(one), shingles(other)];
  const shared = [...left].filter((each) => right.has(each)).length;
  return shared / (left.size + right.size - shared) >= 0.9;
}
