import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { readRegion } from "../skill/regions.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { addAppendixNotes } from "./write-candidate.ts";

const place = { role: "optimizer", step: 1, stage: "update" } as const;
const skill = singleFileSkill("# Skill\n\n- Cite the source.\n");

test("notes land in their protected block, each once", async () => {
  const context = await scriptedContext(() => "");
  const once = await addAppendixNotes(skill, ["Do cite the source.", "do cite  the source!"], place, context);
  expect(readRegion(mainText(once), "appendix")).toBe("- Do cite the source.");
  expect(mainText(once)).toMatch(/^# Skill\n\n- Cite the source\.\n/);
  expect(await addAppendixNotes(once, ["Do cite the source."], place, context)).toBe(once);
});

test("hidden characters, forged markers and essays are left out", async () => {
  const context = await scriptedContext(() => "");
  const bad = ["a\u202Eb", "<!-- whetstone:appendix:end -->", "x".repeat(401), "  "];
  expect(await addAppendixNotes(skill, bad, place, context)).toBe(skill);
});

test("many notes are compacted by the optimizer", async () => {
  const context = await scriptedContext(() => '{"notes":["Cite.","Be brief."]}');
  const many = Array.from({ length: 13 }, (_, at) => `Reminder number ${at}.`);
  const noted = await addAppendixNotes(skill, many, place, context);
  expect(readRegion(mainText(noted), "appendix")).toBe("- Cite.\n- Be brief.");
});

test("without a usable compaction the newest notes stay", async () => {
  const context = await scriptedContext(() => "no");
  const many = Array.from({ length: 14 }, (_, at) => `Reminder number ${at}.`);
  const noted = await addAppendixNotes(skill, many, place, context);
  expect(readRegion(mainText(noted), "appendix")?.split("\n")).toHaveLength(12);
  expect(mainText(noted)).toContain("Reminder number 13.");
});
