import { expect, test } from "vitest";
import type { Edit } from "../../skill/edit.ts";
import { combineEdits } from "./combine-edits.ts";

const add = (content: string, ...evidence: string[]): Edit => ({ op: "append", content, evidence });
const patch = (...edits: Edit[]) => ({ reasoning: "", edits });

test("what two analysts propose in nearly the same words is one edit with the evidence of both", () => {
  const combined = combineEdits([
    patch(add("- Always use pnpm for packages in this repository.", "t1")),
    patch(add("- Always use pnpm for packages in this repository!", "t2", "t1"), add("- Be short.", "t3")),
  ]);
  expect(combined).toEqual([
    add("- Always use pnpm for packages in this repository.", "t1", "t2"),
    add("- Be short.", "t3"),
  ]);
});

test("other words, another target or another deed stay edits of their own, those with more tasks first", () => {
  const edits: readonly Edit[] = [
    add("- Use pnpm.", "t1"),
    add("- Never use pnpm.", "t2", "t3"),
    { op: "delete", target: "- Use yarn.", evidence: ["t4"] },
    { op: "delete", target: "- Use npm.", evidence: ["t5"] },
    { op: "replace", target: "- Use npm.", content: "- Use pnpm.", evidence: ["t6"] },
  ];
  const combined = combineEdits([patch(...edits)]);
  expect(combined).toHaveLength(5);
  expect(combined[0]).toEqual(edits[1]);
});
