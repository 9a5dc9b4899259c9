import { expect, test } from "vitest";
import { shortIdentity } from "../core/skill/hash.ts";
import { type Skill, singleFileSkill } from "../core/skill/skill.ts";
import type { RunFolder, StepFolder } from "./run-folder.ts";
import { listVersions, noSkill, oneShotSkill, unknownSkill } from "./versions.ts";

const original = singleFileSkill("a");
const [first, second, guided] = ["a b", "a c", "a b g"].map((text) => singleFileSkill(text)) as [
  Skill,
  Skill,
  Skill,
];

function step(number: number, action: StepFolder["action"], candidate: Skill, after: Skill): StepFolder {
  const hash = shortIdentity(after);
  return {
    step: number,
    epoch: number,
    budget: 1,
    action,
    reason: "",
    score: null,
    evidence: null,
    current: { score: null, hash },
    best: { score: null, hash, step: number },
    patches: [],
    merged: [],
    selected: [],
    reports: [],
    candidate,
    snapshot: after,
  };
}

const folder = (rest: Partial<RunFolder>): RunFolder => ({
  splits: { train: [], val: [], test: [] },
  original,
  steps: [],
  epochs: [],
  results: [],
  ...rest,
});

test("every candidate is a version, kept or not, and the best is marked", () => {
  const steps = [step(1, "accept_new_best", first, first), step(2, "reject", second, first)];
  const { list } = listVersions(folder({ steps, best: first }));
  expect(list.map(({ version, step: of, action, isBest }) => [version, of, action, isBest])).toEqual([
    [0, 0, "original", false],
    [1, 1, "accept_new_best", true],
    [2, 2, "reject", false],
  ]);
});

test("an incumbent that no step made is guidance of the epoch before", () => {
  const steps = [step(1, "accept_new_best", first, first), step(2, "reject", second, guided)];
  const { list, of } = listVersions(folder({ steps, best: guided }));
  expect(list.map(({ action, step: at }) => [action, at])).toEqual([
    ["original", 0],
    ["accept_new_best", 1],
    ["guidance", 1],
    ["reject", 2],
  ]);
  expect(of({ name: "steps/step_0001/rollout_results", stage: "rollout", step: 2 })).toBe(2);
  expect(of({ name: "steps/step_0001/selection_eval", stage: "evaluate", step: 2 })).toBe(3);
  expect(of({ name: "test_eval_best", stage: "test", step: 0 })).toBe(2);
});

test("a guided skill that the next step replaced was not kept", () => {
  const steps = [step(1, "accept_new_best", first, first), step(2, "accept", second, second)];
  const epochs = [{ epoch: 1, action: "accept", reason: "" }] as const;
  const { of } = listVersions(folder({ steps, epochs, best: second }));
  expect(of({ name: "steps/step_0001/rollout_results", stage: "rollout", step: 2 })).toBe(unknownSkill);
});

test("baselines are no versions of the skill", () => {
  const { of } = listVersions(folder({}));
  const at = (name: string) => of({ name, stage: "test", step: 0 });
  expect([at("baseline_no_skill"), at("baseline_one_shot"), at("test_eval_baseline")]).toEqual([
    noSkill,
    oneShotSkill,
    0,
  ]);
});
