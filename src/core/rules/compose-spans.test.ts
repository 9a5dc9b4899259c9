import { expect, test } from "vitest";
import { drawEdit } from "../../../test/support/tidy/draw-edits.ts";
import { markdownFiles } from "../../../test/support/tidy/markdown-files.ts";
import { seededRandom, shuffle } from "../random.ts";
import { applyEdit } from "../skill/apply-edits.ts";
import type { Edit } from "../skill/edit.ts";
import { type Skill, mainText, singleFileSkill } from "../skill/skill.ts";
import { compose } from "./compose.ts";
import { exclusiveWith, spanIn } from "./rule-spans.ts";
import type { SearchRule } from "./search-rule.ts";

const rule = (number: number, edit: Omit<Edit, "evidence">): SearchRule => ({
  number,
  step: 1,
  change: { kind: "edit", edit: { ...edit, evidence: [] } },
  evidence: [],
});
const editOf = ({ change }: SearchRule): Edit => {
  if (change.kind !== "edit") throw new Error("no edit");
  return change.edit;
};

/** Rules that have their place in a text and do not clash. */
function drawRules(base: Skill, random: () => number): readonly SearchRule[] {
  const rules: SearchRule[] = [];
  for (let number = 1; number <= 12; number += 1) {
    const next = rule(number, drawEdit(mainText(base), random));
    if (spanIn(base, editOf(next)) === undefined) continue;
    if (exclusiveWith(next, rules, base).length === 0) rules.push(next);
  }
  return rules;
}

/** How often the words of an edit stand in a text. */
function countWords(skill: Skill, { op, target = "" }: Edit): number {
  const [text, words] = [mainText(skill), op === "insert_after" ? target.trimEnd() : target].map((one) =>
    one.replaceAll("\r\n", "\n"),
  ) as [string, string];
  return words === "" ? 0 : text.split(words).length - 1;
}

/**
 * The edits one after another. Undefined where one of them finds its words changed, or said in more places, by one before it: there
 * it goes to the end of the file, to other words or nowhere, and in a composition it stays at its place.
 */
function applyInTurn(base: Skill, rules: readonly SearchRule[]): Skill | undefined {
  let skill = base;
  for (const edit of rules.map(editOf)) {
    const count = countWords(base, edit);
    if (count > 1 || countWords(skill, edit) !== count) return undefined;
    skill = applyEdit(skill, edit).skill;
  }
  return skill;
}

/** Some files get Windows' line ends, some a region that nobody may touch, some frontmatter. */
function dress(text: string, random: () => number): string {
  const region = "<!-- whetstone:learned:start -->\n- Say the total first.\n<!-- whetstone:learned:end -->";
  const clean = text.replaceAll("\r\n", "\n");
  const framed = random() < 0.2 && !clean.startsWith("---") ? `---\nname: desk\n---\n\n${clean}` : clean;
  const dressed = random() < 0.15 ? `${framed.trimEnd()}\n\n${region}\n` : framed;
  return random() < 0.15 ? dressed.replaceAll("\n", "\r\n") : dressed;
}

test("rules that do not clash give the bytes of their edits one after another, in whatever order they come", () => {
  const files = markdownFiles();
  const counts = { compared: 0, rules: 0, held: 0 };
  for (let nth = 0; nth < 200; nth += 1) {
    const random = seededRandom("spans", nth);
    const { path, text } = files[Math.floor(random() * files.length)] ?? { path: "", text: "" };
    const base = singleFileSkill(dress(text, random));
    const rules = drawRules(base, random);
    const composed = compose(base, rules);
    const inTurn = applyInTurn(base, rules);
    if (inTurn !== undefined) expect(mainText(composed.skill), `${nth} ${path}`).toBe(mainText(inTurn));
    expect(compose(base, shuffle(rules, random))).toEqual(composed);
    counts.compared += inTurn === undefined ? 0 : 1;
    counts.rules += rules.length;
    counts.held += composed.held.length;
  }
  // about half of the sets, whatever Markdown files the repository has
  expect(counts.compared).toBeGreaterThan(75);
  // the rest says what another says already, or would take the head from what another has put into an item
  expect(counts.held / counts.rules).toBeGreaterThan(0.99);
});
