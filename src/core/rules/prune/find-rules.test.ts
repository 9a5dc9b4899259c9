import fc from "fast-check";
import { expect, test } from "vitest";
import { mainText, singleFileSkill } from "../../skill/skill.ts";
import { findRules } from "./find-rules.ts";
import { removeRules } from "./remove-rules.ts";

const text = `---
name: desk
description: sorts
---
# Desk

You sort parcels.
Read the note.

Rules of the house:

- First rule.
  It goes on.
  - nested in the first

  a second paragraph of the first
- Second rule.
* Third rule.

Setext heading
--------------

1. Step one.
2) Step two.

\`\`\`sh
- not an item

# not a heading
\`\`\`

For example:

\`\`\`
code
\`\`\`

<!-- a comment -->

---

The last word.

<!-- whetstone:appendix:start -->
- Reminder one.
- Reminder two.
<!-- whetstone:appendix:end -->
`;

const textsOf = (written: string) => findRules(singleFileSkill(written)).map((rule) => rule.text);

test("rules are items with all that is in them, paragraphs and blocks of code", () => {
  expect(textsOf(text)).toEqual([
    "You sort parcels.\nRead the note.",
    "- First rule.\n  It goes on.\n  - nested in the first\n\n  a second paragraph of the first",
    "- Second rule.",
    "* Third rule.",
    "1. Step one.",
    "2) Step two.",
    "```sh\n- not an item\n\n# not a heading\n```",
    "For example:\n\n```\ncode\n```",
    "The last word.",
    "- Reminder one.",
    "- Reminder two.",
  ]);
});

test("a rule knows its file, its line, its tokens and its region", () => {
  const skill = {
    main: "SKILL.md",
    files: { "SKILL.md": text, "ref/a.md": "- In a reference.", "run.py": "- no" },
  };
  const rules = findRules(skill);
  expect(rules[2]).toMatchObject({ id: "SKILL.md:17", file: "SKILL.md", tokens: 4 });
  expect(rules.filter(({ region }) => region === "appendix")).toHaveLength(2);
  expect(rules.at(-1)).toMatchObject({ id: "ref/a.md:1", text: "- In a reference." });
});

test("since an earlier version, only what it did not say is in question", () => {
  const before = text.replace("- Second rule.\n", "").replace("You sort parcels.\n", "You sort\nparcels. ");
  const rules = findRules(singleFileSkill(text), singleFileSkill(before));
  expect(rules.map((rule) => rule.text)).toEqual(["- Second rule."]);
});

test("what is removed is gone, and nothing else", () => {
  const skill = singleFileSkill(text);
  const rules = findRules(skill);
  const without = removeRules(
    skill,
    [rules[0], rules[1], rules[9]].flatMap((rule) => rule ?? []),
  );
  expect(mainText(without)).toBe(
    text
      .replace("You sort parcels.\nRead the note.\n\n", "")
      .replace(/- First rule\.[^]*?of the first\n/, "")
      .replace("- Reminder one.\n", ""),
  );
});

test.each([
  ["a list counts on", "1. one\n2. two\n3. three\n", ["2. two"], "1. one\n2. three\n"],
  [
    "a list in a region counts on",
    "<!-- whetstone:appendix:start -->\n1. one\n2. two\n<!-- whetstone:appendix:end -->\n",
    ["1. one"],
    "<!-- whetstone:appendix:start -->\n1. two\n<!-- whetstone:appendix:end -->\n",
  ],
  [
    "what introduces nothing goes",
    "# A\n\nDo all of\nthis:\n\n- one\n- two\n\nb\n",
    ["- one", "- two"],
    "# A\n\nb\n",
  ],
  ["what introduces something stays", "Do this:\n\n- one\n- two\n", ["- two"], "Do this:\n\n- one\n"],
  ["what says more stays", "Be kind. Do this:\n\n- one\n", ["- one"], "Be kind. Do this:\n"],
])("%s", (_, written, gone, after) => {
  const skill = singleFileSkill(written);
  const rules = findRules(skill).filter((rule) => gone.includes(rule.text));
  expect(rules).toHaveLength(gone.length);
  expect(mainText(removeRules(skill, rules))).toBe(after);
});

const lines = fc.constantFrom(
  "",
  "# Heading",
  "- item",
  "  - nested",
  "1. step",
  "words of prose",
  "  indented",
  "```",
  "intro:",
  "---",
  "<!-- whetstone:appendix:start -->",
  "<!-- whetstone:appendix:end -->",
);

test("any text: rules do not overlap, and removing all of them keeps headings and markers", () => {
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 30 }), (written) => {
      const skill = singleFileSkill(`${written.join("\n")}\n`);
      const rules = findRules(skill);
      rules.forEach((rule, at) => {
        expect(rule.start).toBeGreaterThanOrEqual(rules[at - 1]?.end ?? 0);
        expect(mainText(skill).slice(rule.start, rule.end).trimEnd()).toBe(rule.text);
        expect(rule.text.trim()).not.toBe("");
      });
      const inCode = rules.some((rule) => rule.text.includes("```"));
      const rest = mainText(removeRules(skill, rules));
      const count = (where: string, what: string) => where.split(what).length;
      if (inCode) return;
      for (const kept of ["# Heading", "whetstone:appendix:"])
        expect(count(rest, kept)).toBe(count(mainText(skill), kept));
    }),
  );
});
