import { expect, test } from "vitest";
import { cleanSkills } from "../../../test/support/lint/clean-skills.ts";
import { faultySkills } from "../../../test/support/lint/faulty-skills.ts";
import type { Skill } from "../skill/skill.ts";
import type { LintFinding } from "./lint-finding.ts";
import { lintSkill } from "./lint-skill.ts";

const read = (text: string): Skill => {
  const main = text.startsWith("---") ? "SKILL.md" : "AGENTS.md";
  return { main, files: { [main]: text, "references/maps.md": "# Maps\n\nNorth is up.\n" } };
};

const lint = (text: string): readonly LintFinding[] => lintSkill(read(text)).findings;

const lineOf = (text: string, { place }: LintFinding): string =>
  text.split("\n")[Number(place.split(":").at(-1)) - 1] ?? "";

test("of the planted faults nine in ten are found, each with its line, and hardly anything else is", () => {
  const missed: string[] = [];
  const others: string[] = [];
  let planted = 0;
  for (const [name, { text, faults }] of Object.entries(faultySkills)) {
    const found = [...lint(text)];
    for (const [kind, words] of faults) {
      planted += 1;
      const at = found.findIndex((one) => one.kind === kind && lineOf(text, one).includes(words));
      if (at < 0) missed.push(`${name}: ${kind} in "${words}"`);
      else found.splice(at, 1);
    }
    others.push(...found.map((one) => `${name}: ${one.place} ${one.text}`));
  }
  const flagged = Object.entries(cleanSkills).flatMap(([name, text]) => {
    const found = lint(text);
    others.push(...found.map((one) => `${name}: ${one.place} ${one.text}`));
    return found.length > 0 ? [name] : [];
  });
  expect(Object.keys(cleanSkills)).toHaveLength(20);
  expect(Object.keys(faultySkills)).toHaveLength(20);
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(0.1 * planted);
  expect(others.length, others.join("\n")).toBeLessThanOrEqual(0.05 * (planted + others.length));
  expect(flagged.length, flagged.join()).toBeLessThanOrEqual(1);
});

test("each finding has a better shape to offer", () => {
  const [found] = lint("---\nname: a\ndescription: Sorts mail. It is fast.\n---\n\nGreen is for paper.\n");
  expect(found).toEqual({
    kind: "no-when",
    place: "SKILL.md:3",
    text: "the description says what the skill is, not when to use it",
    next: "Write it as: Sorts mail. Use when the user asks for …, or when … is at hand.",
  });
});

test("the price of a text is told by when it is read", () => {
  const text = `---\nname: a\ndescription: ${"Use when needed. ".repeat(4)}\n---\n\n${"word ".repeat(80)}`;
  const { prices } = lintSkill({
    main: "SKILL.md",
    files: { "SKILL.md": text, "references/r.md": "x".repeat(40) },
  });
  expect(prices).toEqual({ always: 18, loaded: 100, references: 10 });
  expect(lintSkill({ main: "AGENTS.md", files: { "AGENTS.md": "x".repeat(40) } }).prices).toEqual({
    always: 10,
    loaded: 0,
    references: 0,
  });
});

test.each([
  "See [the site](https://example.org/a.md), [above](#rules) and [the root](/etc/hosts.txt).",
  "Write it as `[title](page.md)`; files are called `scripts/<name>.py` or references/*.md.",
  "```\n[a](b.md)\n```",
])("what is no file of the skill is no dead link: %s", (line) => {
  expect(lint(`---\nname: a\ndescription: Use when asked.\n---\n\n${line}\n`)).toEqual([]);
});

test("rules that differ in a figure, or of which one forbids, are not the same", () => {
  const rules = [
    "- Parcels above 20 kg go to gate 3 with a pallet truck.",
    "- Parcels above 30 kg go to gate 4 with a pallet truck.",
    "- Parcels with red labels may leave by the north gate.",
    "- Parcels with red labels may never leave by the north gate.",
  ];
  expect(lint(`---\nname: a\ndescription: Use when asked.\n---\n\n${rules.join("\n")}\n`)).toEqual([]);
});
