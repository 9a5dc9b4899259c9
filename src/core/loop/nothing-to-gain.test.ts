import { expect, test } from "vitest";
import { singleFileSkill } from "../skill/skill.ts";
import { nothingToGain } from "./nothing-to-gain.ts";

const measured = (score: number | null) => ({ skill: singleFileSkill("s"), score });
const standing = (score: number | null, step = 0) => ({
  current: measured(score),
  best: { ...measured(score), step },
  known: undefined,
});

test("an original at 95% leaves nothing to learn", () => {
  expect(nothingToGain(standing(0.95))).toContain("95.0%");
  expect(nothingToGain(standing(0.94))).toBeUndefined();
});

test("a trained skill goes on until its gate says that nothing can beat it", () => {
  expect(nothingToGain(standing(1, 3))).toBeUndefined();
  expect(nothingToGain({ ...standing(1, 3), ended: "enough" })).toBe("enough");
});

test("what was not measured says nothing", () => {
  expect(nothingToGain(standing(null))).toBeUndefined();
});
