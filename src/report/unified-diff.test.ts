import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

test("changes come with three lines around them", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  expect(unifiedDiff({ path: "a.md", before, after: before.replace("5\n", "five\n") })).toBe(
    "--- a/a.md\n+++ b/a.md\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
});

test("an added and a deleted file have an empty other side", () => {
  expect(unifiedDiff({ path: "a.md", before: null, after: "x\n" })).toBe(
    "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1,1 @@\n+x\n",
  );
  expect(unifiedDiff({ path: "a.md", before: "x\n", after: null })).toBe(
    "--- a/a.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n",
  );
});

test("a missing last line end is said, and equal texts say nothing", () => {
  expect(unifiedDiff({ path: "a.md", before: "x", after: "x\n" })).toBe(
    "--- a/a.md\n+++ b/a.md\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+x\n",
  );
  expect(unifiedDiff({ path: "a.md", before: "x\n", after: "x\n" })).toBe("");
});

test("what nobody would see is spelled out", () => {
  const after = "a\u200Bb\u{E0041}\u001B[8mc\rd\r\n";
  expect(unifiedDiff({ path: "a.md", before: "", after })).toContain(
    "+a<U+200B>b<U+E0041><U+001B>[8mc<U+000D>d\r\n",
  );
});

test("git applies it and gets the new text", () => {
  const line = fc.constantFrom("", "a", "b", "- rule", "\uFEFFx", "c\r", "@@ -1 +1 @@", "--- a");
  const text = fc
    .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
    .map(([lines, ended]) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""));
  const dir = mkdtempSync(join(tmpdir(), "whetstone-diff-"));
  try {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        writeFileSync(join(dir, "SKILL.md"), before);
        const input = unifiedDiff({ path: "SKILL.md", before, after });
        execFileSync("git", ["apply", "--whitespace=nowarn"], { cwd: dir, input, stdio: "pipe" });
        expect(readFileSync(join(dir, "SKILL.md"), "utf8")).toBe(after);
      }),
      { numRuns: 150 },
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
});
