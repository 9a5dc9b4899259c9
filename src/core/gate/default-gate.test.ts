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
  ["6 val tasks with one check each", factsOf(6, ...times(20, one)), "rules"],
  ["5 val tasks", factsOf(5), "strict"],
  ["exactly half of the tasks with several checks", factsOf(5, ...times(10, two)), "strict"],
  ["more than half of the tasks with several checks", factsOf(5, ...times(11, two)), "rules"],
  ["several checks inside an `all`", factsOf(5, ...times(11, [all(...two)])), "rules"],
  ["several checks inside an `any`", factsOf(5, ...times(11, [any(...two)])), "strict"],
])("%s", (_, facts, gate) => {
  expect(defaultGate(facts)).toBe(gate);
  expect(defaultGateNotes(facts)).toHaveLength(gate === "strict" ? 1 : 0);
});

test("the note says why, and how to have the other gate", () => {
  expect(defaultGateNotes(factsOf(4))).toEqual([
    "gate: strict, because val has 4 of the 6 tasks that rules needs; --gate rules measures each rule by itself",
  ]);
});
