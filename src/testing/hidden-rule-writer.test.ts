import { expect, test } from "vitest";
import { analystError } from "../core/prompts/analyst-error.ts";
import { anchorRepair } from "../core/prompts/anchor-repair.ts";
import { appendixCompaction } from "../core/prompts/appendix-compaction.ts";
import { contrastive } from "../core/prompts/contrastive.ts";
import { learningRate } from "../core/prompts/learning-rate.ts";
import { metaSkillPrompt } from "../core/prompts/meta-skill.ts";
import { oneShot } from "../core/prompts/one-shot.ts";
import { type Prompt, systemText } from "../core/prompts/prompt.ts";
import { rewriteSkillPrompt } from "../core/prompts/rewrite-skill.ts";
import { slowUpdatePrompt } from "../core/prompts/slow-update.ts";
import { findBrokenProtection, readRegion } from "../core/skill/regions.ts";
import { singleFileSkill } from "../core/skill/skill.ts";
import { jsonSection, skillSection } from "../core/stages/optimizer-text.ts";
import type { Task } from "../core/tasks/task.ts";
import { hiddenRuleWorld } from "./hidden-rule-world.ts";

const world = hiddenRuleWorld({ seed: 9 });
const useful = hiddenRuleWorld({ seed: 9, useful: 1, useless: 0, harmful: 0 });
const harmful = hiddenRuleWorld({ seed: 9, useful: 0, useless: 0, harmful: 1 });

/** Asks as the loop does, and reads the reply with the contract's own schema. */
function ask<Parsed>(
  from: typeof world,
  prompt: Prompt<Parsed>,
  sections: readonly string[],
  key = "k",
): Parsed {
  const { text } = from.reply({
    protocol: "openai-chat",
    model: "optimizer",
    system: systemText(prompt, {}),
    messages: [{ role: "user", content: sections.join("\n\n") }],
    maxTokens: undefined,
    key,
    tools: [],
  });
  return prompt.schema.parse(JSON.parse(text));
}

const shown = (text: string): string => skillSection(singleFileSkill(text));
const attempt = (task: Task): string => `Task id: ${task.id}\nScore: 0.00\n[task]\n${task.input}`;

const protectedSkill = [
  "---",
  "name: parcel-desk",
  "---",
  world.seedSkill(4).trimEnd(),
  "",
  "<!-- whetstone:slow-update:start -->",
  "Stay calm.",
  "<!-- whetstone:slow-update:end -->",
  "",
].join("\n");

test("the contrastive analyst proposes for the tasks it is shown, each once, within the budget", () => {
  const [first, second] = world.tasks(2);
  const pairs = [first!, second!].map(
    (task) => `Good attempt:\n${attempt(task)}\n\nBad attempt:\n${attempt(task)}`,
  );
  const sections = [shown(useful.seedSkill(0)), pairs.join("\n\n---\n\n")];
  const { edits } = ask(useful, contrastive, [...sections, "Edit budget: 4"]);
  expect(edits.map(({ evidence }) => evidence)).toEqual([[first!.id], [second!.id]]);
  expect(edits.map(({ content = "" }) => useful.rulesIn(content).held.length)).toEqual([1, 1]);
  expect(ask(useful, contrastive, [...sections, "Edit budget: 1"]).edits).toHaveLength(1);
});

test("a rule that the skill holds gets a reminder instead of an edit, when reminders are asked for", () => {
  const tasks = useful.tasks(12);
  const isHeld = (task: Task) => useful.rules.slice(0, 5).some((rule) => task.input.includes(rule.topic));
  const sections = [shown(useful.seedSkill(5)), tasks.map(attempt).join("\n\n---\n\n")];
  const asked = ask(useful, analystError, [...sections, 'Write reminders into "appendix_notes".']);
  expect(asked.appendix_notes).toHaveLength(5);
  expect(asked.edits.flatMap(({ evidence }) => evidence)).toEqual(
    tasks.filter((task) => !isHeld(task)).map(({ id }) => id),
  );
  const plain = ask(useful, analystError, sections);
  expect(plain.appendix_notes).toEqual([]);
  expect(plain.edits).toHaveLength(12);
});

test("a rewrite makes the changes and keeps frontmatter and regions to the byte", () => {
  const [, , , , rule] = world.rules;
  const edits = [{ op: "append", content: `- ${rule!.sentence}`, evidence: [] }];
  const sections = [shown(protectedSkill), jsonSection("Changes to make", { edits })];
  const { new_skill: text } = ask(world, rewriteSkillPrompt, sections);
  expect(findBrokenProtection(protectedSkill, text)).toBeNull();
  expect(world.rulesIn(text).held).toEqual(world.rules.slice(0, 5));
  expect(readRegion(text, "slow-update")).toBe("Stay calm.");
  expect(ask(world, rewriteSkillPrompt, [shown(protectedSkill)]).new_skill).toBe(protectedSkill);
});

test("a rewrite of a folder is of its main file", () => {
  const skill = { main: "SKILL.md", files: { "SKILL.md": protectedSkill, "notes.md": "Else.\n" } };
  expect(ask(world, rewriteSkillPrompt, [skillSection(skill)]).new_skill).toBe(protectedSkill);
});

test("a one-shot rewrite teaches or misleads about some failed topics, by the shares", () => {
  const failed = useful.tasks(8).map(attempt).join("\n\n---\n\n");
  const taught = ask(useful, oneShot, [shown(useful.seedSkill(0)), failed]).new_skill;
  expect(useful.rulesIn(taught).held).toHaveLength(4);
  const misled = ask(harmful, oneShot, [shown(harmful.seedSkill(12)), failed]).new_skill;
  expect(harmful.rulesIn(misled).harmed.length).toBeGreaterThan(1);
});

test("guidance repeats a rule that is held now, misleads, or changes nothing, by the shares", () => {
  const pairs = world
    .tasks(12)
    .map((task) => `[regressed]\nBefore:\n${attempt(task)}\nNow:\n${attempt(task)}`);
  const sections = (before: string, now: string) => [shown(before), shown(now), pairs.join("\n\n---\n\n")];
  const guidance = (from: typeof world, now: string, key?: string) =>
    ask(from, slowUpdatePrompt, sections(from.seedSkill(0), now), key).guidance;
  expect(useful.rules.slice(0, 3).map(({ sentence }) => sentence)).toContain(
    guidance(useful, useful.seedSkill(3)),
  );
  expect(useful.rulesIn(guidance(useful, useful.seedSkill(0)))).toEqual({ held: [], harmed: [] });
  expect(harmful.rulesIn(guidance(harmful, harmful.seedSkill(3))).harmed).toHaveLength(2);
  const kinds = Array.from({ length: 300 }, (_, index) => {
    const { held, harmed } = world.rulesIn(guidance(world, world.seedSkill(12), `k${index}`));
    return harmed.length > 0 ? "harmful" : held.length > 0 ? "useful" : "useless";
  });
  // 5 standard deviations of a share of one half over 300 draws
  for (const [kind, share] of [
    ["useful", 0.5],
    ["useless", 0.3],
    ["harmful", 0.2],
  ] as const) {
    expect(Math.abs(kinds.filter((one) => one === kind).length / 300 - share)).toBeLessThan(0.145);
  }
  expect(ask(world, slowUpdatePrompt, [shown(world.seedSkill(2))]).guidance).toBe("");
});

test("the memory counts how tasks went", () => {
  const [task] = world.tasks(1);
  const pairs = ["improved", "improved", "regressed", "stable success"].map(
    (label) => `[${label}]\n${attempt(task!)}`,
  );
  const { memory } = ask(world, metaSkillPrompt, ["# The same tasks under both skills", ...pairs]);
  expect(memory).toContain("2 tasks improved and 1 became worse");
});

test("compaction keeps one reminder for a topic, and at most half", () => {
  const [a, b, c] = world.rules.map((rule, index) => `Reminder ${index}: look up ${rule.topic}.`);
  const notes = [a!, b!, `Again: ${a!}`, c!, `Again: ${b!}`];
  const list = notes.map((note, index) => `${index + 1}. ${note}`).join("\n");
  expect(ask(world, appendixCompaction, [`# Reminders\n\n${list}`]).notes).toEqual([a, b]);
});

test("a repaired anchor occurs once and holds the target", () => {
  const text = "# Desk\n\n- Be quick.\n- Be kind.\n\n- Be quick.\n- Be brief.\n";
  const edit = { op: "delete", target: "- Be quick.", evidence: [] } as const;
  const { targets } = ask(world, anchorRepair, [
    shown(text),
    jsonSection("Edits whose target occurs more than once", { edits: [{ ...edit, occurrences: [] }] }),
  ]);
  expect(targets).toHaveLength(1);
  expect(targets[0]).toContain(edit.target);
  expect(text.split(targets[0]!)).toHaveLength(2);
});

test("the learning rate is a number of edits that exist", () => {
  const edits = Array.from({ length: 5 }, (_, index) => ({
    op: "append",
    content: `rule ${index}`,
    evidence: [],
  }));
  const chosen = Array.from(
    { length: 60 },
    (_, index) => ask(world, learningRate, [jsonSection("Pool", { edits })], `k${index}`).edits,
  );
  expect(new Set(chosen)).toEqual(new Set([1, 2, 3, 4, 5]));
  expect(ask(world, learningRate, [jsonSection("Pool", { edits: [] })]).edits).toBe(0);
});
