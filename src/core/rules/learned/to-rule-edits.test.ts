import { describe, expect, test } from "vitest";
import type { Edit } from "../../skill/edit.ts";
import { singleFileSkill } from "../../skill/skill.ts";
import { splitRules, toRuleEdits } from "./to-rule-edits.ts";

const document = singleFileSkill(
  [
    "# Mine",
    "",
    "- Be kind.",
    "",
    "<!-- whetstone:learned:start -->",
    "- Use npm.",
    "- Run the tests",
    "  before a push.",
    "- Never push on Friday.",
    "<!-- whetstone:learned:end -->",
    "",
  ].join("\n"),
);

const convert = (edit: Omit<Edit, "evidence">, budget = 4) =>
  toRuleEdits(document, [{ evidence: ["t1"], ...edit }], budget);
const edits = (edit: Omit<Edit, "evidence">) => convert(edit).proposed.map((one) => one.edit);
const reasons = (edit: Omit<Edit, "evidence">) => convert(edit).refused.map((one) => one.reason);

describe("rules in what the optimizer adds", () => {
  test("each list item is one rule, wherever it was to be inserted", () => {
    const content = "## Packages\n\n- Use pnpm.\n- Never write\n  package-lock.json.\n";
    const added = [
      { op: "add", text: "Use pnpm." },
      { op: "add", text: "Never write\npackage-lock.json." },
    ];
    expect(edits({ op: "append", content })).toEqual(added);
    expect(edits({ op: "insert_after", target: "- Be kind.", content })).toEqual(added);
    expect(convert({ op: "append", content }).proposed[0]?.evidence).toEqual(["t1"]);
  });

  test("a sentence is a rule, and what introduces a list stays with it", () => {
    expect(splitRules("Use pnpm.\n\nFor a release:\n- bump\n- tag\n\nThen rest.")).toEqual([
      "Use pnpm.",
      "For a release:\n- bump\n- tag",
      "Then rest.",
    ]);
  });

  test("code belongs to the sentence before it", () => {
    expect(splitRules("Run this:\n\n```sh\n- make\n\nmake test\n```\n\nNot that.")).toEqual([
      "Run this:\n```sh\n- make\n\nmake test\n```",
      "Not that.",
    ]);
  });

  test("headings and empty lines are no rules", () => {
    expect(reasons({ op: "append", content: "## Only a heading\n\n" })).toEqual(["it contains no rule"]);
  });
});

describe("rules that the optimizer changes", () => {
  test("a whole rule, with or without its bullet and over several lines", () => {
    const replaced = [{ op: "replace", target: "Run the tests\nbefore a push.", text: "Run all tests." }];
    const target = "- Run the tests\n  before a push.";
    expect(edits({ op: "replace", target, content: "- Run all tests." })).toEqual(replaced);
    expect(edits({ op: "delete", target: "Use npm." })).toEqual([{ op: "delete", target: "Use npm." }]);
  });

  test("a part of a rule changes that rule", () => {
    expect(edits({ op: "replace", target: "on Friday", content: "after 4 pm" })).toEqual([
      { op: "replace", target: "Never push on Friday.", text: "Never push after 4 pm." },
    ]);
    expect(edits({ op: "delete", target: " on Friday" })).toEqual([
      { op: "replace", target: "Never push on Friday.", text: "Never push ." },
    ]);
  });

  test("text outside the learned block is refused, in other files too", () => {
    const outside = ["text outside the learned block is yours"];
    expect(reasons({ op: "delete", target: "- Be kind." })).toEqual(outside);
    expect(reasons({ op: "replace", target: "# Mine", content: "# Ours" })).toEqual(outside);
    expect(reasons({ op: "append", content: "- x", file: "references/a.md" })).toEqual(outside);
  });

  test("a target that is nowhere, or in two rules, is refused", () => {
    expect(reasons({ op: "delete", target: "Use yarn." })).toEqual(["the rule that it changes isn't there"]);
    expect(reasons({ op: "delete" })).toEqual(["the rule that it changes isn't there"]);
    expect(reasons({ op: "delete", target: "push" })).toEqual(["it's unclear which rule it changes"]);
  });
});

describe("faults of the original", () => {
  test("fault 24: a budget of four is four edits over everything, however they are spelled", () => {
    const many = Array.from({ length: 6 }, (_, at) => `- Rule ${at}.`).join("\n");
    const { proposed, refused } = toRuleEdits(
      document,
      [
        { op: "delete", target: "Use npm.", evidence: [] },
        { op: "append", content: many, evidence: [] },
        { op: "append", content: "- Another.", evidence: [] },
      ],
      4,
    );
    expect(proposed).toHaveLength(4);
    expect(refused).toHaveLength(4);
    expect(refused[0]?.reason).toBe("a night adds at most 4 of its own rules to a document");
  });

  test("fault 24: a delete needs no content to be kept", () => {
    expect(edits({ op: "delete", target: "- Use npm." })).toEqual([{ op: "delete", target: "Use npm." }]);
  });
});
