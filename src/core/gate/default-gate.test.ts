import { expect, test } from "vitest";
import type { Check, Task } from "../tasks/task.ts";
import { defaultGate, defaultGateNotes, taskFacts } from "./default-gate.ts";

const contains = (value: string): Check => ({ kind: "contains", value });
const all = (...checks: readonly Check[]): Check => ({ kind: "all", value: { checks } as never });
const any = (...checks: readonly Check[]): Check => ({ kind: "any", value: { checks } as never });
const one = [contains("a")];
const two = [contains("a"), contains("b")];

/** 20 tasks, `val` of them in val, the first of them with these checks. */
const factsOf = (val: number, ...lists: readonly (readonly Check[])[]) => {
  const tasks = Array.from(
    { length: 20 },
    (_, at): Task => ({
      id: `${at}`,
      input: "?",
      ...(lists[at] ? { checks: lists[at] } : { answers: ["x"] }),
    }),
  );
  return taskFacts({ train: tasks.slice(val), val: tasks.slice(0, val), test: [] });
};
const times = (count: number, checks: readonly Check[]) => Array.from({ length: count }, () => checks);

test.each([
  ["12 val tasks with one check each", factsOf(12, ...times(20, one)), "rules"],
  ["11 val tasks", factsOf(11), "strict"],
  ["exactly half of the tasks with several checks", factsOf(12, ...times(10, two)), "rules"],
  ["more than half of the tasks with several checks", factsOf(12, ...times(11, two)), "strict"],
  ["several checks inside an `all`", factsOf(12, ...times(11, [all(...two)])), "strict"],
  ["several checks inside an `any`", factsOf(12, ...times(11, [any(...two)])), "rules"],
])("%s", (_, facts, gate) => {
  expect(defaultGate(facts)).toBe(gate);
  expect(defaultGateNotes(facts)).toHaveLength(gate === "strict" ? 1 : 0);
});

test("the note says why, and how to have the other gate", () => {
  expect(defaultGateNotes(factsOf(4, ...times(11, two)))).toEqual([
    "gate: strict, because val has 4 of the 12 tasks that rules needs and 11 of 20 tasks have several checks; --gate rules measures each rule by itself",
  ]);
});
