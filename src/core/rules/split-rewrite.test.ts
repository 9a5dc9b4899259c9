import { expect, test } from "vitest";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { compose } from "./compose.ts";
import { splitRewrite } from "./split-rewrite.ts";

const before = `---
name: desk
---

# Desk

You answer tickets of customers.

## Rules

- Write dates as 2026-01-31.
- Name sums in euros.

## Output

One line: \`queue: NAME\`.
`;
function after(text: string): string {
  const rules = splitRewrite(before, text).map((edit, at) => ({
    number: at + 1,
    step: 1,
    change: { kind: "edit", edit } as const,
    evidence: [],
  }));
  return mainText(compose(singleFileSkill(before), rules).skill);
}

test("a text that is the same has no changes", () => {
  expect(splitRewrite(before, before)).toEqual([]);
});

test("blocks that are reworded or new make a change each, in place and in order", () => {
  const text = before
    .replace("- Name sums in euros.", "- Name all sums in euros, never in cents.\n- Greet people.\n- Sign.")
    .replace("## Output", "## Tone\n\nBe kind:\n\n- Thank first.\n\n## Output");
  expect(splitRewrite(before, text).map(({ op, content }) => [op, content])).toEqual([
    ["replace", "- Name all sums in euros, never in cents."],
    ["insert_after", "## Tone\n\nBe kind:\n\n- Thank first."],
    ["insert_after", "- Sign."],
    ["insert_after", "- Greet people."],
  ]);
  expect(after(text)).toBe(text);
});

test("a text that leaves all out takes nothing away: title, output contract and lines stay", () => {
  const forgetful = "---\nname: desk\n---\n\nBecause the ticket says so.\n";
  expect(splitRewrite(before, forgetful).map(({ op }) => op)).toEqual(["append"]);
  for (const line of before.split("\n")) expect(after(forgetful).split("\n")).toContain(line);
});

test("what comes before everything known is added at the end, in its order", () => {
  const first = before.replace("# Desk", "Read twice.\n\nAnswer once.\n\n# Desk");
  expect(after(first)).toBe(`${before}\nRead twice.\n\nAnswer once.\n`);
});
