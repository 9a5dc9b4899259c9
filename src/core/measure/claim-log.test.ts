import { expect, test } from "vitest";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import type { Context } from "../context.ts";
import { singleFileSkill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { countAsked, noteFound, noteMade, tasksThatMade } from "./claim-log.ts";

const skillOf = (...rules: readonly string[]) =>
  singleFileSkill(`# Desk\n\n## Rules\n\n${rules.map((rule) => `- ${rule}\n`).join("")}`);
const [own, first, second] = [
  "Answer in one sentence.",
  "Parcels of oil get code B.",
  "Round totals up, always.",
];
const tasks: readonly Task[] = ["a", "b"].map((id) => ({ id, input: `Task ${id}`, answers: ["x"] }));

test("what made a skill made its parts, merges and later texts too, and nothing else", async () => {
  const journal = await memoryJournal();
  const context = { journal, clock: { now: () => 0 } } as unknown as Context;
  const note = () => noteMade(skillOf(own, first, second), { from: skillOf(own), tasks }, context);
  await note();
  const made = async (...rules: readonly string[]) => (await tasksThatMade(skillOf(...rules), journal)).size;
  expect(await made(own, first, second)).toBe(2);
  expect(await made(own, second)).toBe(2);
  expect(await made("Be kind to each person.", first)).toBe(2);
  expect(await made(own)).toBe(0);
  expect(await made("Something else is said here.")).toBe(0);
  // another numbering or marker is the same line
  expect((await tasksThatMade(singleFileSkill(`1. ${first}\r\n`), journal)).size).toBe(2);
  await note();
  let rows = 0;
  for await (const _ of journal.read({})) rows += 1;
  expect(rows).toBe(1);
});

test("a text that was found to be better keeps its bar on these tasks alone, and its opposite doesn't", async () => {
  const journal = await memoryJournal();
  const models = { target: "a/b" };
  const context = { journal, clock: { now: () => 0 }, models } as unknown as Context;
  const others = ["c", "d"].map((id) => ({ id, input: `Another task ${id}`, answers: ["x"] }));
  const asking = { before: skillOf(own), after: skillOf(own, first), tasks };
  let look = 0;
  const bar = async (more: Partial<typeof asking> = {}) => {
    look += 1;
    return (await countAsked({ ...asking, ...more }, look, context)).share;
  };
  const full = await bar();
  expect(await bar({ tasks: others })).toBe(full);
  await noteFound(asking, context);
  expect(await bar()).toBe(full);
  expect(await bar({ tasks: others })).toBeLessThan(full / 10);
  expect(await bar({ before: asking.after, after: asking.before })).toBeLessThan(full / 10);
});
