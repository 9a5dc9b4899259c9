import fc from "fast-check";
import { expect, test } from "vitest";
import vectors from "../../../test/vectors/edit-ops.json" with { type: "json" };
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { applyEdit, applyPatch, type EditStatus } from "./apply-edits.ts";
import type { Edit, EditOp } from "./edit.ts";
import { findBrokenProtection } from "./regions.ts";
import { mainText, singleFileSkill } from "./skill.ts";

const edit = (op: EditOp, fields: Partial<Edit> = {}): Edit => ({ op, evidence: [], ...fields });

/** One edit on a single file: its status and the text after it. */
function run(text: string, fields: Edit, limits = {}): [EditStatus, string] {
  const { skill, report } = applyEdit(singleFileSkill(text), fields, limits);
  return [report.status, mainText(skill)];
}

test("the golden vectors are reproduced but for three named differences", () => {
  const rows = { equal: 0, "empty content": 0, "ambiguous target": 0, "CRLF kept": 0 };
  for (const { skill, edits, result, statuses } of vectors) {
    const patch = edits.map(({ op, target, content }) => edit(op as EditOp, { target, content }));
    const ours = applyPatch(singleFileSkill(skill), patch);
    const reported = ours.reports.map(({ status }) => status as string);
    if (mainText(ours.skill) === result && reported.join() === statuses.join()) {
      rows.equal += 1;
      continue;
    }
    const refusal = reported.findIndex((status) => status.startsWith("refused_"));
    if (refusal < 0) {
      expect(reported).toEqual(statuses);
      expect(skill).toContain("\r\n");
      expect(mainText(ours.skill).replaceAll("\r", "")).toBe(result.replaceAll("\r", ""));
      rows["CRLF kept"] += 1;
      continue;
    }
    // all is equal up to our first refusal, and that one has the reason it gives
    expect(reported.slice(0, refusal)).toEqual(statuses.slice(0, refusal));
    const refused = edits[refusal]!;
    if (reported[refusal] === "refused_empty") {
      expect(refused.op + refused.content).toMatch(/^(append|insert_after)$/);
      rows["empty content"] += 1;
    } else {
      const text = mainText(applyPatch(singleFileSkill(skill), patch.slice(0, refusal)).skill);
      expect(reported[refusal]).toBe("refused_ambiguous_target");
      expect(refused.op).toMatch(/^(replace|delete)$/);
      expect(text.split(refused.target).length).toBeGreaterThan(2);
      rows["ambiguous target"] += 1;
    }
    if (edits.length === 1) expect(mainText(ours.skill)).toBe(skill);
  }
  expect(rows).toEqual({ equal: 685, "empty content": 82, "ambiguous target": 19, "CRLF kept": 36 });
});

test("an empty append or insert is refused, an empty replace deletes", () => {
  expect(run("a\n", edit("append", { content: " \n" }))).toEqual(["refused_empty", "a\n"]);
  expect(run("a\n", edit("insert_after", { target: "a" }))).toEqual(["refused_empty", "a\n"]);
  expect(run("a b\n", edit("replace", { target: " b" }))).toEqual(["applied_replace", "a\n"]);
});

test("an ambiguous target is refused with the lines that hold it", () => {
  const { skill, report } = applyEdit(
    singleFileSkill("- x\n- y\r\n  - x 2\n"),
    edit("delete", { target: "- x" }),
  );
  expect(mainText(skill)).toBe("- x\n- y\r\n  - x 2\n");
  expect(report).toMatchObject({
    status: "refused_ambiguous_target",
    applied: false,
    candidates: [
      { line: 1, text: "- x" },
      { line: 3, text: "  - x 2" },
    ],
  });
  expect(run("aaa", edit("replace", { target: "aa", content: "b" }))[0]).toBe("refused_ambiguous_target");
});

test("a CRLF file gets CRLF insertions, and an LF target is found in it", () => {
  const text = "- a\r\n- b\r\n";
  expect(run(text, edit("append", { content: "x\ny" }))[1]).toBe("- a\r\n- b\r\n\r\nx\r\ny\r\n");
  expect(run(text, edit("insert_after", { target: "- a", content: "x" }))[1]).toBe("- a\r\n\r\nx\r\n- b\r\n");
  expect(run(text, edit("replace", { target: "- a\n- b", content: "- c\n- d" }))[1]).toBe("- c\r\n- d\r\n");
  expect(run("- a\n", edit("append", { content: "x\r\ny" }))[1]).toBe("- a\n\nx\ny\n");
});

test("insert_after a multi-line anchor goes after its last line", () => {
  expect(run("a\nb\nc\n", edit("insert_after", { target: "a\nb\n", content: "x" }))[1]).toBe(
    "a\nb\n\nx\nc\n",
  );
});

const block = "<!-- whetstone:learned:start -->\n- kept\n<!-- whetstone:learned:end -->";
const guarded = `# A\n\n- one\n\n${block}\n\ntail\n`;

test("append goes before the first protected region", () => {
  expect(run(guarded, edit("append", { content: "- two" }))).toEqual([
    "applied_append",
    `# A\n\n- one\n\n- two\n\n${block}\n\ntail\n`,
  ]);
  expect(run(`${block}\n`, edit("append", { content: "- two" }))[1]).toBe(`- two\n\n${block}\n`);
});

test.each<[string, Edit]>([
  ["touches the body", edit("replace", { target: "kept", content: "lost" })],
  ["touches a marker", edit("delete", { target: "<!-- whetstone:learned:end -->" })],
  ["spans the region", edit("delete", { target: `- one\n\n${block}\n\ntail` })],
  ["reaches in from before", edit("replace", { target: "- one\n\n<!-- whet", content: "x" })],
  ["inserts into it", edit("insert_after", { target: "- kept", content: "- more" })],
  ["inserts after its marker", edit("insert_after", { target: "learned:end", content: "- more" })],
])("an edit that %s is refused", (_, fields) => {
  expect(run(guarded, fields)).toEqual(["refused_protected_region", guarded]);
});

test("an insertion is refused when the anchor's line runs into a region", () => {
  const text = `anchor ${block}\n`;
  expect(run(text, edit("insert_after", { target: "anchor", content: "x" }))).toEqual([
    "refused_protected_region",
    text,
  ]);
});

test("insert_after uses the first occurrence outside a region", () => {
  const text = `${block}\n- kept\n`;
  expect(run(text, edit("insert_after", { target: "- kept", content: "x" }))).toEqual([
    "applied_insert_after",
    `${block}\n- kept\n\nx\n`,
  ]);
});

test("a marker that two edits make together is refused at the second", () => {
  const half = edit("append", { content: "<!-- whetstone:learned:" });
  for (const rest of [
    edit("append", { content: "start -->" }),
    edit("replace", { target: "whetstone:learned:", content: "whetstone:learned: start" }),
  ]) {
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
  expect(run(text, edit("replace", { target: "X", content: "start" }))).toEqual([
    "refused_protected_region",
    text,
  ]);
});

test.each<[string, Edit]>([
  ["inside", edit("replace", { target: "name: x", content: "name: y" })],
  ["crossing its end", edit("delete", { target: "---\n# A" })],
  ["inserting into it", edit("insert_after", { target: "name: x", content: "more: 1" })],
])("an edit of the frontmatter, %s, is refused", (_, fields) => {
  const text = "---\nname: x\n---\n# A\n";
  expect(run(text, fields)).toEqual(["refused_frontmatter", text]);
});

test("an edit that would make frontmatter is refused", () => {
  expect(run("# A\nx: 1\n---\n", edit("replace", { target: "# A", content: "---" }))[0]).toBe(
    "refused_frontmatter",
  );
});

test("hidden characters are refused, also when only the joint makes them so", () => {
  expect(run("a\n", edit("append", { content: "b\u200Bc" }))[0]).toBe("refused_hidden_characters");
  expect(run("a\n", edit("append", { content: "b \u{1F469}\u200D\u{1F4BB}" }))[0]).toBe("applied_append");
  const joined = "x \u{1F469}\u200D\u{1F4BB} y";
  expect(run(joined, edit("delete", { target: "\u{1F469}" }))).toEqual(["refused_hidden_characters", joined]);
});

test("growth beyond the size limit is refused, shrinking is not", () => {
  const limits = { maxSkillLength: 10 };
  expect(run("12345678", edit("append", { content: "9" }), limits)[0]).toBe("refused_too_large");
  expect(run("123456789012", edit("delete", { target: "2" }), limits)[0]).toBe("refused_ambiguous_target");
  expect(run("123456789012", edit("delete", { target: "3" }), limits)).toEqual([
    "applied_delete",
    "12456789012",
  ]);
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
  expect(statusOf(edit("replace", { target: "a", content: `${bytes}iVA=` }))).toBe("refused_binary");
  expect(statusOf(edit("append", { content: `${bytes}iVA=` }))).toBe("applied_append");
});

test("the size limit counts what may be edited", () => {
  const files = {
    "SKILL.md": "12345678",
    "run.sh": "x".repeat(100),
    "a.png": "data:application/octet-stream;base64,iVA=",
  };
  const grow = (limits: { maxSkillLength: number; allowScripts?: boolean }) =>
    applyEdit({ main: "SKILL.md", files }, edit("append", { content: "9" }), limits).report.status;
  expect(grow({ maxSkillLength: 20 })).toBe("applied_append");
  expect(grow({ maxSkillLength: 20, allowScripts: true })).toBe("refused_too_large");
});

test("an edit that throws does not stop the others", () => {
  const broken = { op: "append", content: 7, evidence: [] } as unknown as Edit;
  const { skill, reports } = applyPatch(singleFileSkill("a\n"), [broken, edit("append", { content: "b" })]);
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
