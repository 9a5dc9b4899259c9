import { expect, test } from "vitest";
import { detectableEffect, power, tasksFor80, trialsFor80 } from "./power.ts";

const common = { alpha: 0.1, flipRate: 0.2, seed: 1 };

// measured before with another model of difficulty (Beta); the two agree to a few points
test.each([
  [20, 1, 0.1, 0.17],
  [20, 3, 0.1, 0.49],
  [20, 1, 0.2, 0.47],
  [50, 1, 0.1, 0.43],
  [200, 1, 0.1, 0.92],
])("%d tasks × %d trials find %d with power near %d", (tasks, trials, effect, expected) => {
  const found = power({ ...common, tasks, trials, effect });
  expect(Math.abs(found - expected)).toBeLessThan(0.1);
});

test("without an effect it is the false-accept rate", () => {
  expect(power({ ...common, tasks: 50, trials: 3, effect: 0 })).toBeLessThan(0.13);
});

test("a claim that cannot pass has no power", () => {
  expect(power({ ...common, tasks: 3, trials: 1, effect: 0.5 })).toBe(0);
});

test("trials, tasks and the smallest effect fit together", () => {
  const trials = trialsFor80({ ...common, tasks: 20, effect: 0.2 });
  expect(trials).toBeGreaterThanOrEqual(2);
  expect(trials).toBeLessThanOrEqual(4);
  expect(trialsFor80({ ...common, tasks: 4, effect: 0.02 })).toBeNull();
  const effect = detectableEffect({ ...common, tasks: 50, trials: 3 });
  expect(effect).toBeGreaterThan(0.04);
  expect(effect).toBeLessThan(0.12);
  const tasks = tasksFor80({ ...common, trials: 3, effect: 0.1 });
  expect(tasks).toBeGreaterThan(25);
  expect(tasks).toBeLessThan(60);
});

test("the same seed gives the same answer", () => {
  const once = () => power({ ...common, tasks: 30, trials: 1, effect: 0.1, draws: 200 });
  expect(once()).toBe(once());
});
