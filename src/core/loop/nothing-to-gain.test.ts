import { expect, test } from "vitest";
import { singleFileSkill } from "../skill/skill.ts";
import { startRules } from "../rules/rule-search.ts";
import { nothingToGain } from "./nothing-to-gain.ts";

const measured = (score: number | null) => ({ skill: singleFileSkill("s"), score });
const standing = (score: number | null, step = 0) => ({
  current: measured(score),
  best: { ...measured(score), step },
  gate: { kind: "strict", byTask: [] } as const,
});

test("an original at 95 % leaves nothing to learn", () => {
  expect(nothingToGain(standing(0.95))).toContain("95.0 %");
  expect(nothingToGain(standing(0.94))).toBeUndefined();
});

test("a trained skill goes on until nothing can beat it", () => {
  expect(nothingToGain(standing(0.97, 3))).toBeUndefined();
  expect(nothingToGain(standing(1, 3))).toContain("every val task");
});

test("with noise a perfect estimate is no end", () => {
  const gate = {
    kind: "rules",
    base: singleFileSkill("s"),
    baseScore: 0.5,
    rules: [],
    repeated: [],
    search: startRules({ tasks: 1, units: 1, steps: 1, rollouts: 2, texts: 4 }),
    held: [],
    results: [],
  } as const;
  expect(nothingToGain({ ...standing(1, 3), gate })).toBeUndefined();
});

test("what was not measured says nothing", () => {
  expect(nothingToGain({ ...standing(null), gate: { kind: "off" } })).toBeUndefined();
});
