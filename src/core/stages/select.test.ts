import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { select } from "./select.ts";

const skill = singleFileSkill("# Skill\n");
const place = { role: "optimizer", step: 1, stage: "select" } as const;
const pool = (ranked: boolean) => ({
  reasoning: "",
  ranked,
  edits: ["a", "b", "c", "d"].map((content) => ({ op: "append" as const, content, evidence: [] })),
});
const run = async (answer: string, ranked = false, budget = 2) => {
  const context = await scriptedContext(() => answer);
  const { edits } = await select(skill, pool(ranked), budget, "", place, context);
  return { chosen: edits.map(({ content }) => content).join(""), calls: context.requests.length };
};

test("a pool that fits is not ranked", async () => {
  expect(await run("", false, 4)).toEqual({ chosen: "abcd", calls: 0 });
});

test("a pool that the merge ranked is cut without a call", async () => {
  expect(await run("", true)).toEqual({ chosen: "ab", calls: 0 });
});

test("otherwise the optimizer chooses, best first", async () => {
  expect(await run('{"selected":[3,1]}')).toEqual({ chosen: "db", calls: 1 });
});

test("indices are deduplicated, capped, and unknown ones fall away", async () => {
  expect(await run('{"selected":[9,2,2,-1,0,1]}')).toEqual({ chosen: "ca", calls: 1 });
});

test("an unusable ranking keeps the first ones", async () => {
  expect(await run("none")).toEqual({ chosen: "ab", calls: 3 });
  expect(await run('{"selected":[7]}')).toEqual({ chosen: "ab", calls: 1 });
});
