import { expect, test } from "vitest";
import { type TrainSettings, scriptedRun } from "../../../test/support/scripted-run.ts";
import { hiddenRuleWorld } from "../../testing/index.ts";
import { trainVerb } from "../verbs/train.ts";
import { expectedGain } from "./expected-gain.ts";

const world = hiddenRuleWorld({ seed: 3, rules: 6 });
const splits = world.splits({ train: 24, val: 20, test: 12 });
const resolve = (settings: Partial<TrainSettings>, tasks = splits) =>
  scriptedRun({ url: "http://127.0.0.1:1", skill: world.seedSkill(2), splits: tasks, settings });

test("a training says its odds first; other gates and tasks with several checks have none", async () => {
  const rules = resolve({ gate: "rules", batchSize: 12 });
  const odds = await expectedGain(rules, 4, undefined);
  expect(odds?.sentence).toMatch(/^With 20 val tasks and 4 steps, /);
  expect(await trainVerb(rules).provable?.(undefined)).toContain(odds?.sentence);
  expect(await expectedGain(resolve({ gate: "strict" }), 4, undefined)).toBeUndefined();
  const checks = ["a", "b"].map((value) => ({ kind: "contains", value }));
  const twice = splits.train.map((task) => ({ ...task, checks }));
  const several = { train: twice, val: twice, test: twice };
  expect(await expectedGain(resolve({ gate: "rules" }, several), 4, undefined)).toBeUndefined();
});
