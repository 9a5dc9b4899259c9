import { expect, test } from "vitest";
import { findFilePowers } from "./find-file-powers.ts";

test("powers are found by file, each once", () => {
  const files = [
    { path: "SKILL.md", before: "# A\n", after: "# A\n\nRun `npm test`.\n" },
    { path: "references/b.md", before: null, after: "Run `npm test`, then mail x@y.example.\n" },
  ];
  expect(findFilePowers(files).map(({ path, kind, line }) => [path, kind, line])).toEqual([
    ["SKILL.md", "command", 3],
    ["references/b.md", "recipient", 1],
  ]);
});

test("what moves from one file to another is nothing new, and no safeguard is lost", () => {
  const text = "Never push to main.\nRun `npm test`.\n";
  expect(
    findFilePowers([
      { path: "SKILL.md", before: text, after: "# A\n" },
      { path: "references/b.md", before: null, after: text },
    ]),
  ).toEqual([]);
});

test("a changed script is a power whatever it holds, and another one with other bytes", () => {
  const change = (after: string) => findFilePowers([{ path: "scripts/sum.py", before: "a = 1\n", after }]);
  expect(change("a = 2\n")).toMatchObject([{ kind: "script", path: "scripts/sum.py", line: 1 }]);
  expect(change("a = 2\n")[0]?.id).not.toBe(change("a = 3\n")[0]?.id);
  expect(change("a = 1\n")).toEqual([]);
  expect(findFilePowers([{ path: "scripts/sum.py", before: "a = 1\n", after: null }])).toEqual([]);
});
