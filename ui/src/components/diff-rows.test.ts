import fc from "fast-check";
import { expect, test } from "vitest";
import { type DiffRow, diffRows, foldRows } from "./diff-rows.ts";

const textOf = ({ parts }: { readonly parts: readonly { readonly text: string }[] }): string =>
  parts.map(({ text }) => text).join("");

const linesOf = (rows: readonly DiffRow[], which: "before" | "after"): readonly string[] =>
  rows.flatMap((row) => {
    if (row.kind === "gap") return linesOf(row.rows, which);
    return row[which] === undefined ? [] : [textOf(row)];
  });

test("a changed word is marked on both sides, the rest of the line is not", () => {
  const rows = diffRows("- Give the total in euro.\n", "- Give the total in cents.\n");
  expect(rows).toMatchObject([
    { kind: "removed", before: 1 },
    { kind: "added", after: 1 },
  ]);
  const marked = rows.map(({ parts }) => parts.filter(({ changed }) => changed).map(({ text }) => text));
  expect(marked).toEqual([["euro"], ["cents"]]);
});

test("lines that have nothing in common stand alone", () => {
  const rows = diffRows("Be brief.\n", "Round half to even.\n");
  expect(rows.map(({ kind }) => kind)).toEqual(["removed", "added"]);
});

test("a line inserted before a changed one does not take its place", () => {
  const rows = diffRows(
    "Give the total in euro.\n",
    "Never guess at anything.\nGive the total in whole euro.\n",
  );
  expect(rows.map(({ kind }) => kind)).toEqual(["added", "removed", "added"]);
});

test("an empty text has no lines", () => {
  expect(diffRows("", "")).toEqual([]);
  expect(diffRows("", "one\ntwo\n").map(({ kind }) => kind)).toEqual(["added", "added"]);
});

test("hidden characters are spelled out", () => {
  const [row] = diffRows("", "ignore\u200b this\n");
  expect(row && textOf(row)).toBe("ignore<U+200B> this");
});

test("a line end that changes is shown", () => {
  const rows = diffRows("same words here\n", "same words here\r\n");
  expect(linesOf(rows, "before")).toEqual(["same words here"]);
  expect(linesOf(rows, "after")).toEqual(["same words here␍"]);
});

test("far from a change, lines are folded and nothing is lost", () => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const after = before.with(20, "line twenty");
  const rows = diffRows(before.join("\n"), after.join("\n"));
  const folded = foldRows(rows);
  expect(folded.map(({ kind }) => kind)).toEqual([
    "gap",
    "same",
    "same",
    "same",
    "removed",
    "added",
    "same",
    "same",
    "same",
    "gap",
  ]);
  expect(linesOf(folded, "after")).toEqual(after);
});

test("each side of any diff is the text itself, numbered from 1", () => {
  const lines = fc.array(fc.constantFrom("a b c", "a b d", "x", "", "a c"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const rows = diffRows(
        before.map((line) => `${line}\n`).join(""),
        after.map((line) => `${line}\n`).join(""),
      );
      expect(linesOf(rows, "before")).toEqual(before);
      expect(linesOf(rows, "after")).toEqual(after);
      const numbers = rows.flatMap((row) => row.after ?? []);
      expect(numbers).toEqual(after.map((_, at) => at + 1));
      expect(linesOf(foldRows(rows), "after")).toEqual(after);
    }),
  );
});
