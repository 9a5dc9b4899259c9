import fc from "fast-check";
import { expect, test } from "vitest";
import vectors from "../../../test/vectors/edit-ops.json" with { type: "json" };
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { applyEdit, applyPatch, type EditStatus } from "./apply-edits.ts";
import type { Edit, EditOp } from "./edit.ts";
import { findBrokenProtection } from "./regions.ts";
import { mainText, singleFileSkill } from "./skill.ts";

const edit = (op: EditOp, fields: Partial<Edit> = {}): Edit => ({ op, evidence: [], ...fields });

const append = (content: string) => edit("append", { content });
const insertAfter = (target: string, content: string) => edit("insert_after", { target, content });
const replace = (target: string, content: string) => edit("replace", { target, content });
const remove = (target: string) => edit("delete", { target });

/** One edit on a single file: its status and the text after it. */
function run(text: string, fields: Edit, limits = {}): [EditStatus, string] {
  const { skill, report } = applyEdit(singleFileSkill(text), fields, limits);
  return [report.status, mainText(skill)];
}

/** The lines of a text without markers and blank ones, in any order. */
const saidIn = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(/^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?/, "").trim())
    .filter((line) => line !== "")
    .toSorted();

// the rows are the original's behaviour, which puts a blank line around all that it adds and leaves what a delete leaves
test("the golden vectors are reproduced but for named differences", () => {
  const rows: Record<string, number> = {};
  for (const { skill, edits, result, statuses } of vectors) {
    const patch = edits.map(({ op, target, content }) => edit(op as EditOp, { target, content }));
    const ours = applyPatch(singleFileSkill(skill), patch);
    const reported = ours.reports.map(({ status }) => status as string);
    // up to the first status that is not the original's all say the same, and that one has the reason it gives
    const other = reported.findIndex((status, index) => status !== statuses[index]);
    const isEqual = other < 0 && mainText(ours.skill) === result;
    const difference = isEqual ? "equal" : (reported[other] ?? "well formed");
    rows[difference] = (rows[difference] ?? 0) + 1;
    const refused = edits[other];
    const text = mainText(applyPatch(singleFileSkill(skill), patch.slice(0, Math.max(other, 0))).skill);
    if (difference === "refused_empty")
      expect(`${refused?.op}${refused?.content}`).toMatch(/^(append|insert_after)$/);
    if (difference === "refused_ambiguous_target")
      expect(text.split(refused?.target ?? "").length).toBeGreaterThan(2);
    if (difference === "refused_torn_block") expect(refused?.content).toMatch(/^## New section/);
    if (difference === "skipped_already_there" && refused?.op !== "replace")
      expect(saidIn(text)).toEqual(expect.arrayContaining(saidIn(refused?.content ?? "")));
    const isJoined = edits.some(({ op, target }) => op === "replace" && target === "You ");
    const isSection = edits.filter(({ content }) => content.startsWith("## New section")).length > 1;
    if (difference === "well formed" && !isJoined && !isSection)
      expect(saidIn(mainText(ours.skill))).toEqual(saidIn(result));
  }
  expect(rows).toEqual({
    equal: 372,
    "well formed": 319,
    refused_empty: 82,
    skipped_already_there: 20,
    refused_ambiguous_target: 18,
    refused_torn_block: 5,
    // a target that the edits before it left in one place, or at all
    applied_delete: 3,
    applied_replace: 3,
  });
});

test("an empty append or insert is refused, an empty replace deletes", () => {
  expect(run("a\n", append(" \n"))).toEqual(["refused_empty", "a\n"]);
  expect(run("a\n", edit("insert_after", { target: "a" }))).toEqual(["refused_empty", "a\n"]);
  expect(run("a b\n", edit("replace", { target: " b" }))).toEqual(["applied_replace", "a\n"]);
});

test("an ambiguous target is refused with the lines that hold it", () => {
  const { skill, report } = applyEdit(singleFileSkill("- x\n- y\r\n  - x 2\n"), remove("- x"));
  expect(mainText(skill)).toBe("- x\n- y\r\n  - x 2\n");
  expect(report).toMatchObject({
    status: "refused_ambiguous_target",
    applied: false,
    candidates: [
      { line: 1, text: "- x" },
      { line: 3, text: "  - x 2" },
    ],
  });
  expect(run("aaa", replace("aa", "b"))[0]).toBe("refused_ambiguous_target");
});

test("a CRLF file gets CRLF insertions, and an LF target is found in it", () => {
  const text = "- a\r\n- b\r\n";
  expect(run(text, append("x\ny"))[1]).toBe("- a\r\n- b\r\n- x\r\n  y\r\n");
  expect(run(text, insertAfter("- a", "x"))[1]).toBe("- a\r\n- x\r\n- b\r\n");
  expect(run(text, replace("- a\n- b", "- c\n- d"))[1]).toBe("- c\r\n- d\r\n");
  expect(run("- a\n", append("x\r\ny"))[1]).toBe("- a\n- x\n  y\n");
});

test("insert_after goes behind the block that holds the anchor's last line", () => {
  const inserted = (text: string) => run(text, insertAfter("a\nb\n", "x"))[1];
  expect(inserted("a\nb\n\nc\n")).toBe("a\nb\n\nx\n\nc\n");
  expect(inserted("a\nb\nc\n")).toBe("a\nb\nc\n\nx\n");
});

test.each<[string, string, Edit, string]>([
  ["a sentence before a list is not of it", "A.\n\n- a\n", append("- b"), "A.\n\n- a\n- b\n"],
  ["an item joins the last list", "# A\n\n- a\n", append("* b"), "# A\n\n- a\n- b\n"],
  ["a sentence among bullets is one", "* a\n\n## B\n\n* b\n", append("C."), "* a\n\n## B\n\n* b\n* C.\n"],
  ["a sentence behind steps is none", "1. a\n2. b\n", append("C."), "1. a\n2. b\n\nC.\n"],
  ["numbers count on", "8. a\n9. b\n", append("1. c\n2. d"), "8. a\n9. b\n10. c\n11. d\n"],
  ["equal numbers stay equal", "1. a\n1. b\n", append("1. c"), "1. a\n1. b\n1. c\n"],
  ["a list with blank lines keeps them", "- a\n\n- b\n", append("- c"), "- a\n\n- b\n\n- c\n"],
  ["another kind of list stands apart", "1. a\n", append("- b"), "1. a\n\n- b\n"],
  ["content is tidied", "a\n", append("## B\n- c\n\n\n\n```\nd"), "a\n\n## B\n\n- c\n\n```\nd\n```\n"],
  [
    "a known section gets it",
    "## B\n\n- a\n\n## C\n\nd\n",
    append("## B\n\n- b"),
    "## B\n\n- a\n- b\n\n## C\n\nd\n",
  ],
  ["an inserted item moves numbers", "1. a\n2. b\n", insertAfter("a", "1. x"), "1. a\n2. x\n3. b\n"],
  [
    "an item comes behind all of its anchor",
    "- a\n  - b\n- c\n",
    insertAfter("- a", "- x"),
    "- a\n  - b\n- x\n- c\n",
  ],
  [
    "an inner item joins its list",
    "- a\n  - b\n- c\n",
    insertAfter("- b", "- x"),
    "- a\n  - b\n  - x\n- c\n",
  ],
  [
    "code goes into the item",
    "1. a\n2. b\n",
    insertAfter("a", "```\nx\n```"),
    "1. a\n\n   ```\n   x\n   ```\n\n2. b\n",
  ],
  ["items join the list behind a heading", "## A\n\n- a\n", insertAfter("## A", "- x"), "## A\n\n- x\n- a\n"],
  [
    "a section stands behind a section",
    "## A\n\na\n\n## C\n",
    insertAfter("## A", "## B\n\nb"),
    "## A\n\na\n\n## B\n\nb\n\n## C\n",
  ],
  ["a line stays a line of code", "```\na\nb\n```\n", insertAfter("a\n", "x"), "```\na\nx\nb\n```\n"],
  [
    "a row joins a table",
    "| a |\n|---|\n| b |\n",
    insertAfter("| a", "| x |"),
    "| a |\n|---|\n| x |\n| b |\n",
  ],
  ["a replaced item stays one", "1. a\n2. b\n", replace("a", "- x\n- y"), "1. x\n2. y\n3. b\n"],
  ["a renumbered target is found", "1. a\n2. b\n", replace("5. b", "5. x"), "1. a\n2. x\n"],
  ["a number is all of its digits", "10. a\n11. b\n12. c\n", remove("1. b"), "10. a\n11. c\n"],
  ["also of one that is no item's", "Do 15 steps.\n", remove("5 steps"), "Do 15 steps.\n"],
  ["also before an item with another number", "Do 15\n1. a\n", remove("5\n2. a"), "Do 15\n1. a\n"],
  ["a line end of a target stays", "- a\n- b\n", replace("- a\n", "- x"), "- x\n- b\n"],
  [
    "items before indented ones are as far in",
    "# A\n\n * a\n",
    insertAfter("# A", "When:\n- b\n- c"),
    "# A\n\nWhen:\n\n * b\n * c\n\n * a\n",
  ],
  [
    "an item stands apart from a table in the one before",
    "- a\n\n  | b |\n  |---|\n  | c |\n",
    append("- d"),
    "- a\n\n  | b |\n  |---|\n  | c |\n\n- d\n",
  ],
  ["a deleted item leaves nothing", "1. a\n2. b.\n3. c\n", remove("b"), "1. a\n2. c\n"],
  ["a deleted paragraph leaves one gap", "a\n\nb\n\nc\n", remove("b"), "a\n\nc\n"],
  ["a deleted sentence leaves no blanks", "- A. B.\n", remove("B."), "- A.\n"],
  ["the last lines leave no blank ones", "a\n\n- b\n", remove("- b"), "a\n"],
])("%s", (_, text, fields, after) => {
  expect(run(text, fields)[1]).toBe(after);
  expect(run(after, fields)[1]).toBe(after);
});

test.each<[string, string, Edit]>([
  ["the head of nested items", "- a\n  - b\n", remove("- a")],
  ["a fence", "```\na\n```\n\n```\nb\n```\n", remove("a\n```")],
  ["the head of a table", "| a |\n|---|\n| b |\n", remove("| a |")],
  ["a list for words of a line", "a b c\n", replace("b", "- x\n- y")],
])("what would tear a block apart is refused: %s", (_, text, fields) => {
  expect(run(text, fields)).toEqual(["refused_torn_block", text]);
});

test.each<[string, string, Edit]>([
  ["an item", "# A\n\n- a b\n\n## B\n", append("*  a  b")],
  ["an item of that section", "## A\n\n- a\n", insertAfter("## A", "- a")],
  ["a section", "## A\n\n- a\n\n## B\n", append("## A\n- a")],
  ["words around the target", "- be very brief\n", replace("brief", "very brief")],
])("nothing is said twice: %s", (_, text, fields) => {
  expect(run(text, fields)).toEqual(["skipped_already_there", text]);
});

test("rules land well formed whichever of them are in", () => {
  const base = "# Desk\n\nAnswer letters.\n\n1. Read.\n2. Answer.\n";
  const rules = [
    append("- Be brief."),
    append("## Style\n- No jokes."),
    insertAfter("1. Read.", "2. Think."),
    append("Sign with your name."),
    append("## Style\n\n- No dashes."),
    replace("2. Answer.", "2. Answer twice."),
  ];
  const text = (which: readonly number[]) =>
    mainText(
      applyPatch(
        singleFileSkill(base),
        rules.filter((_, at) => which.includes(at)),
      ).skill,
    );
  expect(text([0, 1, 2, 3, 4, 5])).toBe(
    "# Desk\n\nAnswer letters.\n\n1. Read.\n2. Think.\n3. Answer twice.\n\n- Be brief.\n\n## Style\n\n- No jokes.\n- Sign with your name.\n- No dashes.\n",
  );
  expect(text([3, 4])).toBe(`${base}\nSign with your name.\n\n## Style\n\n- No dashes.\n`);
  expect(text([2, 5])).toBe("# Desk\n\nAnswer letters.\n\n1. Read.\n2. Think.\n3. Answer twice.\n");
});

const block = "<!-- whetstone:learned:start -->\n- kept\n<!-- whetstone:learned:end -->";
const guarded = `# A\n\n- one\n\n${block}\n\ntail\n`;

test("append goes before the first protected region", () => {
  expect(run(guarded, append("- two"))).toEqual([
    "applied_append",
    `# A\n\n- one\n- two\n\n${block}\n\ntail\n`,
  ]);
  expect(run(`${block}\n`, append("- two"))[1]).toBe(`- two\n\n${block}\n`);
});

test.each<[string, Edit]>([
  ["touches the body", replace("kept", "lost")],
  ["touches a marker", remove("<!-- whetstone:learned:end -->")],
  ["spans the region", remove(`- one\n\n${block}\n\ntail`)],
  ["reaches in from before", replace("- one\n\n<!-- whet", "x")],
  ["inserts into it", insertAfter("- kept", "- more")],
  ["inserts after its marker", insertAfter("learned:end", "- more")],
])("an edit that %s is refused", (_, fields) => {
  expect(run(guarded, fields)).toEqual(["refused_protected_region", guarded]);
});

test("an insertion stands between its anchor and a region on the same line", () => {
  expect(run(`anchor ${block}\n`, insertAfter("anchor", "x"))).toEqual([
    "applied_insert_after",
    `anchor \n\nx\n\n${block}\n`,
  ]);
});

test("insert_after uses the first occurrence outside a region", () => {
  const text = `${block}\n- kept\n`;
  expect(run(text, insertAfter("- kept", "x"))).toEqual(["applied_insert_after", `${block}\n- kept\n- x\n`]);
});

test("a marker that two edits make together is refused at the second", () => {
  const half = append("whetstone:learned:");
  for (const rest of [append("start -->"), replace("whetstone:learned:", "whetstone:learned: start")]) {
    const { reports } = applyPatch(singleFileSkill("# Skill\n"), [half, rest]);
    expect(reports.map(({ status }) => status).slice(1)).toEqual(["refused_forged_marker"]);
  }
});

test.each(["append", "insert_after", "replace"] as const)("a forged marker in %s is refused", (op) => {
  const forged = edit(op, { target: "- one", content: "x\n<!-- whetstone:learned:start -->" });
  expect(run(guarded, forged)).toEqual(["refused_forged_marker", guarded]);
});

test("a marker put together from two harmless halves is refused", () => {
  const text = "<!-- whetstone:learned:X -->\nbody\n<!-- whetstone:learned:end -->\n";
  expect(run(text, replace("X", "start"))).toEqual(["refused_protected_region", text]);
});

test.each<[string, Edit]>([
  ["inside", replace("name: x", "name: y")],
  ["crossing its end", remove("---\n# A")],
  ["inserting into it", insertAfter("name: x", "more: 1")],
])("an edit of the frontmatter, %s, is refused", (_, fields) => {
  const text = "---\nname: x\n---\n# A\n";
  expect(run(text, fields)).toEqual(["refused_frontmatter", text]);
});

test("an edit that would make frontmatter is refused", () => {
  expect(run("# A\nx: 1\n---\n", replace("# A", "---"))[0]).toBe("refused_frontmatter");
});

test("hidden characters are refused, also when only the joint makes them so", () => {
  expect(run("a\n", append("b\u200Bc"))[0]).toBe("refused_hidden_characters");
  expect(run("a\n", append("b \u{1F469}\u200D\u{1F4BB}"))[0]).toBe("applied_append");
  const joined = "x \u{1F469}\u200D\u{1F4BB} y";
  expect(run(joined, remove("\u{1F469}"))).toEqual(["refused_hidden_characters", joined]);
});

test("growth beyond the size limit is refused, shrinking is not", () => {
  const limits = { maxSkillLength: 10 };
  expect(run("12345678", append("9"), limits)[0]).toBe("refused_too_large");
  expect(run("abcdefghijab", remove("b"), limits)[0]).toBe("refused_ambiguous_target");
  expect(run("abcdefghijab", remove("c"), limits)).toEqual(["applied_delete", "abdefghijab"]);
});

test("an edit names its file; unknown files and scripts are refused", () => {
  const skill = {
    main: "SKILL.md",
    files: { "SKILL.md": "a\n", "notes.md": "b\n", "scripts/run.md": "c\n", "tool.py": "d\n" },
  };
  const statusOf = (file: string, limits = {}) =>
    applyEdit(skill, edit("append", { file, content: "x" }), limits).report.status;
  const { skill: changed } = applyEdit(skill, edit("append", { file: "notes.md", content: "x" }));
  expect(changed.files).toEqual({ ...skill.files, "notes.md": "b\n\nx\n" });
  expect(statusOf("gone.md")).toBe("refused_unknown_file");
  expect(statusOf("toString")).toBe("refused_unknown_file");
  expect(statusOf("scripts/run.md")).toBe("refused_script");
  expect(statusOf("tool.py")).toBe("refused_script");
  expect(statusOf("tool.py", { allowScripts: true })).toBe("applied_append");
});

test("bytes are not edited, and no text becomes bytes", () => {
  const bytes = "data:application/octet-stream;base64,";
  const skill = { main: "SKILL.md", files: { "SKILL.md": "a\n", "logo.md": `${bytes}iVA=` } };
  const statusOf = (fields: Edit) => applyEdit(skill, fields, { allowScripts: true }).report.status;
  expect(statusOf(edit("append", { file: "logo.md", content: "x" }))).toBe("refused_binary");
  expect(statusOf(replace("a", `${bytes}iVA=`))).toBe("refused_binary");
  expect(statusOf(append(`${bytes}iVA=`))).toBe("applied_append");
});

test("the size limit counts what may be edited", () => {
  const files = {
    "SKILL.md": "12345678",
    "run.sh": "x".repeat(100),
    "a.png": "data:application/octet-stream;base64,iVA=",
  };
  const grow = (limits: { maxSkillLength: number; allowScripts?: boolean }) =>
    applyEdit({ main: "SKILL.md", files }, append("9"), limits).report.status;
  expect(grow({ maxSkillLength: 20 })).toBe("applied_append");
  expect(grow({ maxSkillLength: 20, allowScripts: true })).toBe("refused_too_large");
});

test("an edit that throws does not stop the others", () => {
  const broken = { op: "append", content: 7, evidence: [] } as unknown as Edit;
  const { skill, reports } = applyPatch(singleFileSkill("a\n"), [broken, append("b")]);
  expect(reports.map(({ status }) => status)).toEqual(["failed", "applied_append"]);
  expect(mainText(skill)).toBe("a\n\nb\n");
});

test("whatever is proposed, protected parts stay, nothing hidden lands, and what is not applied changes nothing", () => {
  const text = `---\nname: x\n---\n# A\n\n- one\n\n${block}\n\ntail \u{1F469}\u200D\u{1F4BB}\n`;
  const piece = fc.oneof(
    fc.nat(text.length).chain((from) => fc.nat(40).map((length) => text.slice(from, from + length))),
    fc.constantFrom("---", "<!-- whetstone:learned:end -->", "start -->", "\u200B", "\uFE0F", "\r\n", "ok"),
    fc.string({ unit: "binary" }),
  );
  const anyEdit = fc.record({
    op: fc.constantFrom<EditOp>("append", "insert_after", "replace", "delete"),
    target: piece,
    content: fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join("")),
    evidence: fc.constant([]),
  });
  fc.assert(
    fc.property(fc.array(anyEdit, { maxLength: 4 }), (edits) => {
      let skill = singleFileSkill(text);
      for (const each of edits) {
        const { skill: next, report } = applyEdit(skill, each);
        expect(findBrokenProtection(text, mainText(next))).toBeNull();
        expect(findHiddenCharacters(mainText(next))).toEqual([]);
        expect(report.status).not.toBe("failed");
        if (!report.applied) expect(next).toBe(skill);
        skill = next;
      }
    }),
    { numRuns: 2000 },
  );
});
