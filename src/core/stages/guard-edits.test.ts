import { expect, test } from "vitest";
import { encodeFile } from "../files.ts";
import { buildLeakIndex } from "../guard/leak-index.ts";
import { guardEdits } from "./guard-edits.ts";

const secret = {
  id: "t",
  input: "How tall is it?",
  checks: [{ kind: "regex", value: "^exactly 4711 cubits tall$" }],
};
const leaking = {
  op: "append" as const,
  content: "- It is `^exactly 4711 cubits tall$`",
  file: "references/sizes.md",
  evidence: [],
};
const guarded = (sizes: string) => {
  const files = {
    "SKILL.md": "# Sizes\n",
    "references/sizes.md": "",
    "references/known.md": sizes,
    "logo.png": encodeFile(Uint8Array.of(0, 1)),
  };
  return guardEdits([leaking], {
    skill: { main: "SKILL.md", files },
    leaks: buildLeakIndex([secret]),
    contracts: [],
  });
};

test("a refused edit of a reference is reported with its file", () => {
  expect(guarded("").refused).toMatchObject([
    { report: { file: "references/sizes.md", status: "refused_leak", applied: false } },
  ]);
});

test("what another file of the skill says already is no secret", () => {
  expect(guarded("The pattern is ^exactly 4711 cubits tall$.\n").kept).toEqual([leaking]);
});
