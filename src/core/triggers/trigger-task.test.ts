import { expect, test } from "vitest";
import type { Splits, Task } from "../tasks/task.ts";
import { checkTrack, wantsTrigger } from "./trigger-task.ts";

const trigger = (id: string, value: boolean): Task => ({
  id,
  input: `request ${id}`,
  checks: [{ kind: "trigger", value }],
});
const plain: Task = { id: "plain", input: "Capital of France?", answers: ["Paris"] };
const splitsOf = (tasks: readonly Task[]): Splits => ({ train: tasks, val: tasks, test: [] });

test("a trigger task has one trigger check and nothing else", () => {
  expect(wantsTrigger(trigger("1", true))).toBe(true);
  expect(wantsTrigger(trigger("1", false))).toBe(false);
  expect(wantsTrigger(plain)).toBeUndefined();
  expect(wantsTrigger({ ...plain, checks: [{ kind: "trigger", value: "yes" }] })).toBeUndefined();
  const both = [
    { kind: "trigger", value: true },
    { kind: "contains", value: "x" },
  ];
  expect(wantsTrigger({ id: "1", input: "x", checks: both })).toBeUndefined();
});

test("the description track refuses other tasks, the body track trigger tasks", () => {
  const pair = [trigger("yes", true), trigger("no", false)];
  expect(() => checkTrack(splitsOf([...pair, plain]), "description")).toThrow(
    "Task plain isn't a trigger task",
  );
  expect(() => checkTrack(splitsOf([plain, ...pair]), "body")).toThrow("Task yes asks whether the skill");
  expect(() => checkTrack(splitsOf(pair), "description")).not.toThrow();
  expect(() => checkTrack(splitsOf([plain]), "body")).not.toThrow();
});

test("a split with one kind of request alone would be won by always or never loading", () => {
  const wanted = splitsOf([trigger("1", true), trigger("2", true)]);
  expect(() => checkTrack(wanted, "description")).toThrow("Every val task should load the skill");
  const unwanted = { ...splitsOf([trigger("1", true), trigger("2", false)]), test: [trigger("3", false)] };
  expect(() => checkTrack(unwanted, "description")).toThrow("Every test task should not load the skill");
});
