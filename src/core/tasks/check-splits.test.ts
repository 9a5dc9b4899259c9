import { expect, test } from "vitest";
import { checkSplits } from "./check-splits.ts";
import type { Task } from "./task.ts";

const task = (id: string, input = `Question ${id}?`, fields: Partial<Task> = {}): Task => ({
  id,
  input,
  answers: ["x"],
  ...fields,
});

const long = Array.from({ length: 80 }, (_, at) => "w".repeat(at + 1)).join(" ");

test("fair splits pass, also without test and with repeats inside one split", () => {
  expect(() => checkSplits({ train: [task("1")], val: [task("2")], test: [] })).not.toThrow();
  const train = [task("1", "Same?"), task("2", "same")];
  expect(() => checkSplits({ train, val: [task("3")], test: [task("4")] })).not.toThrow();
});

test("an empty train or val is refused", () => {
  expect(() => checkSplits({ train: [], val: [task("1")], test: [] })).toThrow(/train split has no tasks/);
  expect(() => checkSplits({ train: [task("1")], val: [], test: [task("2")] })).toThrow(
    /val split has no tasks/,
  );
});

test("an id used twice is refused", () => {
  const twice = [task("1"), task("1", "other")];
  expect(() => checkSplits({ train: twice, val: [task("2")], test: [] })).toThrow(
    /"1" is used twice in train/,
  );
  expect(() => checkSplits({ train: [task("1")], val: [task("1", "b")], test: [] })).toThrow(
    /"1" is used in train and in val/,
  );
});

test("a group in two splits is refused", () => {
  const [train, val] = [[task("1", "a", { group: "g" })], [task("2", "b", { group: "g" })]];
  expect(() => checkSplits({ train, val, test: [] })).toThrow(/group "g" is in train and in val/);
});

test("duplicates and near-duplicates across splits are refused by name", () => {
  const [train, val] = [[task("1", "Same?"), task("3", `${long} one`)], [task("2", "same")]];
  expect(() => checkSplits({ train, val, test: [task("4", `${long} two`)] })).toThrow(
    /"1" \(train\) and "2" \(val\) are the same; "3" \(train\) and "4" \(test\) are 97% the same/,
  );
});
