import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, foldDiff } from "./line-diff.ts";

const side = (before: string, after: string, left: "added" | "removed") =>
  diffLines(before, after)
    .filter(({ kind }) => kind !== left)
    .map(({ text }) => text)
    .join("\n");

test("a diff holds both texts", () => {
  const text = fc
    .array(fc.constantFrom("", "a", "b", "c"), { maxLength: 12 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(side(before, after, "added")).toBe(before);
      expect(side(before, after, "removed")).toBe(after);
    }),
  );
});

test("equal lines are never shown as changed when one insertion explains everything", () => {
  expect(diffLines("a\nb\nc", "a\nx\nb\nc").filter(({ kind }) => kind !== "same")).toEqual([
    { kind: "added", text: "x" },
  ]);
});

test("texts too large for a table are shown whole", () => {
  const before = Array.from({ length: 3000 }, (_, at) => `old ${at}`).join("\n");
  const after = Array.from({ length: 3000 }, (_, at) => `new ${at}`).join("\n");
  expect(diffLines(before, after)).toHaveLength(6000);
});

test("folding keeps the lines around a change and marks each gap once", () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const after = before.with(3, "changed").with(15, "changed too");
  const shown = foldDiff(diffLines(before.join("\n"), after.join("\n")), 1).map((line) => line?.text ?? "…");
  expect(shown).toEqual([
    "line 2",
    "line 3",
    "changed",
    "line 4",
    "…",
    "line 14",
    "line 15",
    "changed too",
    "line 16",
  ]);
});
