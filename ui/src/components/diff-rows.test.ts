import fc from "fast-check";
import { expect, test } from "vitest";
import { countChanges, type DiffRow, type DiffSide, diffRows, foldRows } from "./diff-rows.ts";

const textOf = ({ parts }: DiffSide): string => parts.map(({ text }) => text).join("");

function linesOf(rows: readonly DiffRow[], which: "before" | "after"): readonly string[] {
  return rows.flatMap((row) => {
    if (row.kind === "gap") return linesOf(row.rows, which);
    const side = which === "before" ? "before" in row && row.before : "after" in row && row.after;
    return side ? [textOf(side)] : [];
  });
}

test("a changed word is marked on both sides, the rest of the line is not", () => {
  const [row] = diffRows("- Give the total in euro.\n", "- Give the total in cents.\n");
  expect(row).toMatchObject({ kind: "changed", before: { line: 1 }, after: { line: 1 } });
  if (row?.kind !== "changed") throw new Error("one changed row was expected");
  expect(row.before.parts.filter(({ changed }) => changed).map(({ text }) => text)).toEqual(["euro"]);
  expect(row.after.parts.filter(({ changed }) => changed).map(({ text }) => text)).toEqual(["cents"]);
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
  expect(rows.map(({ kind }) => kind)).toEqual(["added", "changed"]);
});

test("an empty text has no lines", () => {
  expect(diffRows("", "")).toEqual([]);
  expect(diffRows("", "one\ntwo\n").map(({ kind }) => kind)).toEqual(["added", "added"]);
});

test("hidden characters are spelled out", () => {
  const [row] = diffRows("", "ignore\u200b this\n");
  expect(row?.kind === "added" && textOf(row.after)).toBe("ignore<U+200B> this");
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
    "changed",
    "same",
    "same",
    "same",
    "gap",
  ]);
  expect(linesOf(folded, "after")).toEqual(after);
  expect(countChanges(rows)).toEqual({ added: 1, removed: 1 });
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
      const numbers = rows.flatMap((row) => ("after" in row ? [row.after.line] : []));
      expect(numbers).toEqual(after.map((_, at) => at + 1));
      expect(linesOf(foldRows(rows), "after")).toEqual(after);
    }),
  );
});
