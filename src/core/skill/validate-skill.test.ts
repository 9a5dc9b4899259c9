import { expect, test } from "vitest";
import { singleFileSkill } from "./skill.ts";
import { validateSkill } from "./validate-skill.ts";

const skill = (...lines: readonly string[]) =>
  singleFileSkill(["---", ...lines, "---", "# Body", ""].join("\n"));
const good = ["name: pdf-forms", "description: Fills PDF forms. Use it for any PDF."];
const found = (...lines: readonly string[]) =>
  validateSkill(skill(...lines), "pdf-forms").map(({ level, message }) => `${level}: ${message}`);

test("a skill by the rules has no problem", () => {
  const rest = [
    "license: MIT",
    "compatibility: Needs git",
    "metadata:",
    "  version: '1'",
    "allowed-tools: Read Bash(git:*)",
  ];
  expect(found(...good, ...rest)).toEqual([]);
  expect(found(...good, "disable-model-invocation: true")).toEqual([]);
});

test.each([
  ["no name", ["description: x"], "error: SKILL.md has no name."],
  ["capitals", ["name: Pdf", "description: x"], 'error: The name "Pdf" in SKILL.md isn\'t valid.'],
  ["a double hyphen", ["name: a--b", "description: x"], 'error: The name "a--b" in SKILL.md isn\'t valid.'],
  ["a number", ["name: 7", "description: x"], "error: The name 7 in SKILL.md isn't valid."],
  [
    "65 letters",
    [`name: ${"a".repeat(65)}`, "description: x"],
    `error: The name "${"a".repeat(65)}" in SKILL.md isn't valid.`,
  ],
  [
    "no description",
    ["name: pdf-forms"],
    "error: SKILL.md has no description, which agents use to choose a skill.",
  ],
  [
    "a long one",
    ["name: pdf-forms", `description: ${"é".repeat(1025)}`],
    "error: The description in SKILL.md has 1025 characters.",
  ],
  [
    "a tag in it",
    ["name: pdf-forms", "description: a <b>"],
    "warning: The description in SKILL.md contains < or >, which some agents refuse.",
  ],
  [
    "another folder",
    ["name: forms", "description: x"],
    'advice: The skill is called "forms" and its folder "pdf-forms"; some agents require them to match.',
  ],
  ["a list as license", [...good, "license: [MIT]"], 'error: "license" in SKILL.md isn\'t valid.'],
  [
    "501 characters",
    [...good, `compatibility: ${"a".repeat(501)}`],
    'error: "compatibility" in SKILL.md isn\'t valid.',
  ],
  [
    "a number in metadata",
    [...good, "metadata:", "  version: 1.0"],
    'warning: "metadata.version" in SKILL.md isn\'t text.',
  ],
  ["depth in metadata", [...good, "metadata:", "  a: [b]"], 'error: "metadata.a" in SKILL.md isn\'t text.'],
  [
    "tools as a list",
    [...good, "allowed-tools: [Read]"],
    'warning: "allowed-tools" in SKILL.md is a list, which only some agents read.',
  ],
  ["tools as a map", [...good, "allowed-tools: {a: b}"], 'error: "allowed-tools" in SKILL.md isn\'t valid.'],
  ["another key", [...good, "version: 1"], 'error: "version" in SKILL.md isn\'t a skill key.'],
])("%s is found", (_, lines, problem) => {
  expect(found(...lines)).toEqual([problem]);
});

test("what cannot be read is an error that says where", () => {
  expect(found("name: a", "description: Use when: always")).toEqual([
    expect.stringMatching(/^error: The frontmatter of SKILL.md isn't readable: .* line 3/),
  ]);
});

test("a folder should have frontmatter; plain files are as they are", () => {
  expect(validateSkill(singleFileSkill("# Body\n"), "pdf-forms")).toMatchObject([{ level: "warning" }]);
  expect(validateSkill(singleFileSkill("# Body\n"))).toEqual([]);
  for (const main of ["AGENTS.md", "prompt.txt"])
    expect(validateSkill(singleFileSkill("Be kind.\n", main))).toEqual([]);
});

test("frontmatter that cannot be read is told of every markdown file, and of no other", () => {
  const broken = "---\nname: a\ndescription: Use when: always\n---\nBe kind.\n";
  const problem = (path: string) => ({
    level: "warning",
    message: expect.stringContaining(`The frontmatter of ${path} isn't readable: `),
  });
  for (const main of ["AGENTS.md", "CLAUDE.md", "tone.md"])
    expect(validateSkill(singleFileSkill(broken, main))).toMatchObject([problem(main)]);
  const { files } = skill(...good);
  expect(
    validateSkill({ main: "SKILL.md", files: { ...files, "references/a.md": broken } }, "pdf-forms"),
  ).toMatchObject([problem("references/a.md")]);
  // a rule of Cursor's has stars without quotes, which no YAML has
  const rule = "---\ndescription:\nglobs: *.ts\nalwaysApply: true\n---\nBe kind.\n";
  for (const main of ["style.mdc", "prompt.txt"])
    expect(validateSkill(singleFileSkill(rule, main))).toEqual([]);
});
