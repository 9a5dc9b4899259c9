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

test("a draft that belongs with a task of val is left out, also over another draft", () => {
  const draft = (id: string, more: Partial<Task>): Task => ({ ...task(id, true), ...more });
  const drafts = [
    draft("same group", { group: "g" }),
    draft("same words", { input: "c" }),
    draft("same words as a draft", { input: "same group" }),
    draft("with train", { input: "b" }),
    draft("alone", {}),
  ];
  const { train } = divideReviewed([...drafts, task("b"), { ...task("c"), group: "g" }], halves);
  expect(train.map(({ id }) => id)).toEqual(["b", "with train", "alone"]);
});

test("a task that was reviewed is like any other", () => {
  expect(divideReviewed([task("a", false), task("b")], halves).val).toEqual([task("b")]);
});

test("with drafts alone nothing begins", () => {
  expect(() => divideReviewed([task("a", true)], halves)).toThrow(/tasks are unreviewed drafts/);
  expect(() => dropDraftGates({ train: [task("b")], val: [task("a", true)], test: [] })).toThrow(/reviewed/);
});
