import { expect, test } from "vitest";
import { unitsOf } from "./clusters.ts";
import { oncePerTask } from "./once-per-task.ts";
import type { Task } from "./task.ts";

test("a task is read once, also where it comes to nothing", () => {
  const read: string[] = [];
  const length = oncePerTask(({ id }) => void read.push(id));
  const [one, other]: Task[] = [
    { id: "one", input: "a" },
    { id: "other", input: "a" },
  ];
  for (const task of [one, other, one, other]) length(task as Task);
  expect(read).toEqual(["one", "other"]);
});

test("units of a list don't depend on the lists that were asked about before", () => {
  const tasks: Task[] = ["a", "b", "c", "a"].map((input, at) => ({ id: `${at}`, input }));
  expect(unitsOf(tasks)).toEqual([0, 1, 2, 0]);
  expect(unitsOf(tasks.slice(0, 3))).toEqual([0, 1, 2]);
  expect(unitsOf(tasks.toReversed())).toEqual([0, 1, 2, 0]);
  expect(unitsOf(tasks)).toEqual([0, 1, 2, 0]);
  tasks.splice(1, 2);
  expect(unitsOf(tasks)).toEqual([0, 0]);
  expect(unitsOf([])).toEqual([]);
});
