import { expect, test } from "vitest";
import type { Edit, RawPatch } from "../../../src/core/skill/edit.ts";
import { traceEdits } from "./trace-edits.ts";

const edit = (content: string, evidence: readonly string[], more: Partial<Edit> = {}): Edit => ({
  op: "append",
  content,
  evidence,
  ...more,
});
const analyst = (...edits: readonly Edit[]): RawPatch => ({
  source: "failure",
  taskIds: [],
  patterns: [],
  reasoning: "",
  edits,
});

test("a merged edit is traced by its words, else by the tasks behind it", () => {
  const analysts = [analyst(edit("Be exact.", ["a"])), analyst(edit("Round up.", ["a", "b"]))];
  const merged = [
    edit("Be exact.", ["a"], { mergeLevel: 1 }),
    edit("Round up always.", ["b"], { mergeLevel: 1 }),
  ];
  const [level] = traceEdits(analysts, merged, []);
  expect(level?.edits.map((traced) => traced.analysts)).toEqual([[1], [2]]);
});

test("the last merge is first, and ranked edits have their place", () => {
  const first = edit("One.", [], { mergeLevel: 1 });
  const second = edit("Two.", [], { mergeLevel: 2 });
  const levels = traceEdits([], [first, second], [{ ...second, rankReason: "it covers more" }]);
  expect(levels.map(({ level }) => level)).toEqual([2, 1]);
  expect(levels[0]?.edits[0]?.rank).toBe(1);
  expect(levels[1]?.edits[0]).not.toHaveProperty("rank");
});

test("deletes are told apart by what they delete", () => {
  const merged: readonly Edit[] = ["x", "y"].map((target) => ({ op: "delete", target, evidence: [] }));
  const [level] = traceEdits([], merged, merged.slice(1));
  expect(level?.edits.map(({ rank }) => rank)).toEqual([undefined, 1]);
});
