import { expect, test } from "vitest";
import { compareFiles } from "./compare-files.ts";

test("files are told apart by what became of them, the main one first", () => {
  const before = { "SKILL.md": "a", "references/a.md": "x", "references/b.md": "y", "z.md": "z" };
  const after = { "SKILL.md": "a", "references/a.md": "x", "references/c.md": "new", "z.md": "zz" };
  expect(compareFiles(before, after).map(({ path, change }) => [path, change])).toEqual([
    ["SKILL.md", "same"],
    ["references/b.md", "removed"],
    ["references/c.md", "added"],
    ["z.md", "changed"],
    ["references/a.md", "same"],
  ]);
});

test("an empty file is not a missing one", () => {
  expect(compareFiles({ "a.md": "" }, {})).toMatchObject([{ change: "removed" }]);
  expect(compareFiles({ "a.md": "" }, { "a.md": "" })).toMatchObject([{ change: "same" }]);
});
