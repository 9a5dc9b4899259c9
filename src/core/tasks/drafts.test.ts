import { expect, test } from "vitest";
import { divideReviewed, dropDraftGates } from "./drafts.ts";
import type { Splits, Task } from "./task.ts";

const task = (id: string, draft?: boolean): Task => ({
  id,
  input: id,
  answers: ["x"],
  ...(draft === undefined ? {} : { draft }),
});
const halves = (tasks: readonly Task[]): Splits => ({
  train: tasks.slice(0, 1),
  val: tasks.slice(1),
  test: [],
});

test("a draft may be trained on, and never gates", () => {
  const { train, val } = divideReviewed([task("a", true), task("b"), task("c")], halves);
  expect([train.map(({ id }) => id), val.map(({ id }) => id)]).toEqual([["b", "a"], ["c"]]);
  const divided = { train: [task("a", true)], val: [task("b"), task("c", true)], test: [task("d", true)] };
  expect(dropDraftGates(divided)).toEqual({ train: [task("a", true)], val: [task("b")], test: [] });
});

test("a task that was reviewed is like any other", () => {
  expect(divideReviewed([task("a", false), task("b")], halves).val).toEqual([task("b")]);
});

test("with drafts alone nothing begins", () => {
  expect(() => divideReviewed([task("a", true)], halves)).toThrow(/drafts that nobody has reviewed/);
  expect(() => dropDraftGates({ train: [task("b")], val: [task("a", true)], test: [] })).toThrow(/reviewed/);
});
