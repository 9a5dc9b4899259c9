import { expect, test } from "vitest";
import { encodeFile } from "../files.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { skillSection, triedSection } from "./optimizer-text.ts";

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]);
const skill = {
  main: "SKILL.md",
  files: {
    "SKILL.md": "# Sort\n",
    "references/codes.md": "A is 1.\n",
    "scripts/run.py": "print(1)\n",
    "assets/logo.png": encodeFile(png),
  },
};

test("a single file is shown as it is", () => {
  expect(skillSection(singleFileSkill("# Sort\n"))).toBe("# The skill\n\n<skill>\n# Sort\n\n</skill>");
});

test("several files are listed with surface and leave, texts are shown, bytes are not", () => {
  const shown = skillSection(skill);
  expect(shown).toContain(
    [
      "- SKILL.md: body (the main file)",
      "- references/codes.md: reference",
      "- scripts/run.py: script, not to be edited",
      "- assets/logo.png: asset, 6 bytes, not shown, not to be edited",
    ].join("\n"),
  );
  expect(shown).toContain("names it in `file`");
  expect(shown.slice(shown.indexOf("<skill>"))).toBe(
    '<skill>\n<file name="SKILL.md">\n# Sort\n\n</file>\n<file name="references/codes.md">\nA is 1.\n\n</file>\n<file name="scripts/run.py">\nprint(1)\n\n</file>\n</skill>',
  );
  expect(skillSection(skill, { allowScripts: true })).toContain("- scripts/run.py: script\n");
});

test("long files give way, from the middle; short ones and the main file stay whole", () => {
  const long = (letter: string) => `first ${letter}\n${letter.repeat(60_000)}\nlast ${letter}\n`;
  const files = {
    ...skill.files,
    "SKILL.md": `# Sort\n${"m".repeat(90_000)}`,
    "b.md": long("b"),
    "c.md": long("c"),
  };
  const shown = skillSection({ main: "SKILL.md", files });
  for (const kept of ["first b", "last b", "first c", "last c", "A is 1.", "print(1)", "m".repeat(90_000)])
    expect(shown).toContain(kept);
  expect(shown.match(/characters left out/g)).toHaveLength(2);
  expect(shown.length).toBeLessThan(90_000 + 80_000 + 1_000);
});

test("the optimizer knows where there is no room left", () => {
  expect(skillSection(singleFileSkill("word ".repeat(100)), { tokenBudgets: { body: 126 } })).toContain(
    "SKILL.md has about 125 tokens, of at most 126: make room before you add to it.",
  );
  expect(skillSection(singleFileSkill("word ".repeat(100)), { tokenBudgets: { body: 300 } })).not.toContain(
    "tokens",
  );
});

test("an earlier edit has one line with its place and its fate", () => {
  const [fate, evidence] = ["open, not measured yet", []];
  const edits = [
    { op: "append", content: "a", rule: 7, fate: "in the skill, +3.1 points", evidence },
    { op: "delete", target: "b", file: "references/codes.md", fate, evidence },
    { op: "replace", target: "c ".repeat(80), content: "d", fate, evidence },
    { op: "insert_after", target: "e", content: "f", fate, evidence },
  ] as const;
  const section = triedSection([{ step: 2, patterns: ["late replies"], edits }]);
  expect(section.split("\n").slice(4)).toEqual([
    "- step 2 saw: late replies",
    '- rule 7 (step 2), append "a": in the skill, +3.1 points',
    '- step 2, delete in references/codes.md "b": open, not measured yet',
    `- step 2, replace "${"c ".repeat(39)}c…" with "d": open, not measured yet`,
    '- step 2, after "e" insert "f": open, not measured yet',
  ]);
  expect(triedSection([{ step: 2, patterns: [], edits: [] }])).toBe("");
});
