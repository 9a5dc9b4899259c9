import { expect, test } from "vitest";
import type { TaskReport } from "../../../src/report/model.ts";
import { type TaskFilter, countFlags, filterTasks, nameKey, flagsOf } from "./filter-tasks.ts";

const makeTask = (id: string, more: Partial<TaskReport> = {}): TaskReport => ({
  id,
  split: "val",
  input: "",
  rollouts: 0,
  flags: [],
  ...more,
});
const everyTask: TaskFilter = { search: "", splits: [], flags: [] };
const ids = (tasks: readonly TaskReport[]): readonly string[] => tasks.map(({ id }) => id);

const tasks = [
  makeTask("task-10", { input: "Sum the Invoice", flags: ["always-passes"] }),
  makeTask("task-9", { split: "test", flags: ["flaky"] }),
  makeTask("task-1", { flags: ["flaky", "regressed"] }),
  makeTask("task-2"),
];

test("what needs a look is first, then names as people count", () => {
  expect(ids(filterTasks(tasks, everyTask))).toEqual(["task-1", "task-9", "task-10", "task-2"]);
  expect(ids(tasks.toSorted((a, b) => (nameKey(a) < nameKey(b) ? -1 : 1)))).toEqual([
    "task-1",
    "task-2",
    "task-9",
    "task-10",
  ]);
});

test("search finds every word in name or text, in any case", () => {
  expect(ids(filterTasks(tasks, { ...everyTask, search: "invoice 10" }))).toEqual(["task-10"]);
  expect(ids(filterTasks(tasks, { ...everyTask, search: "invoice 9" }))).toEqual([]);
});

test("flags widen, splits narrow", () => {
  expect(ids(filterTasks(tasks, { ...everyTask, flags: ["regressed", "always-passes"] }))).toEqual([
    "task-1",
    "task-10",
  ]);
  expect(ids(filterTasks(tasks, { ...everyTask, flags: ["flaky"], splits: ["test"] }))).toEqual(["task-9"]);
});

test("flags are counted", () => {
  expect(countFlags(tasks)).toMatchObject({ flaky: 2, regressed: 1, improved: 0 });
});

test("what a person most likely came for is the first flag", () => {
  expect(flagsOf({ flags: ["flaky", "regressed"] })).toEqual(["regressed", "flaky"]);
});
