import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { driftBetween, driftOver } from "./drift.ts";

const blocks = (tasks: number, trials: number, rate: (at: number) => number, random: () => number) => {
  const hardness = Array.from({ length: tasks }, () => random() - 0.5);
  return Array.from({ length: tasks * trials }, (_, at) => {
    const task = at % tasks;
    const chance = rate(at / (tasks * trials)) + (hardness[task] ?? 0) / 2;
    const arm = () => (random() < chance ? 1 : 0);
    return { task, score: (arm() + arm()) / 2 };
  });
};

test("a target that stands still is said to drift one time in twenty at most", () => {
  const random = seededRandom("still");
  let said = 0;
  for (let run = 0; run < 200; run += 1)
    if ((driftOver(blocks(30, 3, () => 0.6, random))?.p ?? 1) <= 0.05) said += 1;
  // a rate of 5% gives more than 20 of 200 one time in a thousand
  expect(said).toBeLessThanOrEqual(20);
});

test("a step of thirty points is seen, with its size and direction", () => {
  const random = seededRandom("step");
  const drift = driftOver(blocks(60, 3, (at) => (at < 0.5 ? 0.75 : 0.45), random));
  expect(drift?.p).toBeLessThan(0.01);
  expect(drift?.size).toBeLessThan(-0.15);
});

test("one trial each: the tasks' drawn order tells", () => {
  const random = seededRandom("single");
  const drift = driftOver(blocks(200, 1, (at) => (at < 0.5 ? 0.8 : 0.4), random));
  expect(drift?.p).toBeLessThan(0.01);
});

test("early and late on the same tasks", () => {
  const ones = Array.from({ length: 20 }, () => 1);
  expect(driftBetween(ones, ones)).toEqual({ size: 0, p: 1 });
  const { size, p } = driftBetween(
    ones,
    ones.map((_, at) => (at < 8 ? 0 : 1)),
  );
  expect(size).toBeCloseTo(-0.4, 12);
  expect(p).toBeCloseTo(2 / 2 ** 8, 12);
});
