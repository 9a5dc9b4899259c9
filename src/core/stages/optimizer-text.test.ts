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

test("what was rejected names its file", () => {
  const edits = [
    { op: "append" as const, content: "a", evidence: [] },
    { op: "delete" as const, target: "b", file: "references/codes.md", evidence: [] },
  ];
  expect(triedSection([{ step: 2, patterns: [], rejected: edits }])).toBe(
    '# Earlier steps\n\n- step 2, rejected: append "a"\n- step 2, rejected: delete in references/codes.md "b"',
  );
});
