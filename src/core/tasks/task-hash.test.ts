import { expect, test } from "vitest";
import { taskHash } from "./task-hash.ts";

test("the id is not part of a task's identity, everything else is", () => {
  const task = { id: "1", input: "a", answers: ["b"] };
  expect(taskHash({ ...task, id: "2" })).toBe(taskHash(task));
  const others = [
    { ...task, input: "A" },
    { ...task, answers: ["b", "c"] },
    { ...task, system: "" },
    { ...task, metadata: { x: 1 } },
    { ...task, checkout: "a".repeat(40) },
    { id: "1", input: "a", checks: [{ kind: "exact", value: "b" }] },
    { id: "1", input: "a", checks: [{ kind: "exact", value: "b", weight: 1 }] },
  ];
  expect(new Set([task, ...others].map(taskHash)).size).toBe(8);
});
