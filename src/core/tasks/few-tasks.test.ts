import { expect, test } from "vitest";
import { askedHash } from "./asked-hash.ts";
import { allTasks, canTest, claimedTasks, isShared, lackingForTest, shareTasks } from "./few-tasks.ts";
import type { SplitName, Task } from "./task.ts";

const tasks = (count: number, from = 0): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({ id: `t${from + at}`, input: `Question ${from + at}?` }));

const seenAs = (some: readonly Task[], sides: readonly SplitName[]) =>
  new Map(some.map((task) => [askedHash(task), new Set(sides)]));

test("a sealed test needs seven tasks to show 30 points in half of the cases", () => {
  expect([6, 7, 8, 500].map(canTest)).toEqual([false, true, true, true]);
  expect([0, 5, 7].map(lackingForTest)).toEqual([7, 2, 0]);
});

test("up to eighteen tasks all serve the search; from nineteen on they are divided", () => {
  const splits = shareTasks(tasks(18));
  expect(splits).toMatchObject({ train: { length: 18 }, val: { length: 18 }, test: [] });
  expect(splits && isShared(splits)).toBe(true);
  expect(splits && allTasks(splits)).toHaveLength(18);
  // rolled once more, they are what the verdict is about
  expect(splits && claimedTasks(splits)).toHaveLength(18);
  expect(shareTasks(tasks(19))).toBeUndefined();
  // fewer than three never were enough
  expect(shareTasks(tasks(2))).toBeUndefined();
});

test("newer tasks wait for a test, and it begins with seven of them", () => {
  const before = tasks(14);
  const seen = seenAs(before, ["train", "val"]);
  for (const [newer, test] of [
    [3, 0],
    [7, 7],
    [13, 13],
  ] as const) {
    const splits = shareTasks([...before, ...tasks(newer, 50)], seen);
    expect(splits).toMatchObject({ train: { length: 14 }, val: { length: 14 }, test: { length: test } });
    expect(splits && claimedTasks(splits)).toHaveLength(test === 0 ? 14 : test);
  }
  // twice as many are divided as usual
  expect(shareTasks([...before, ...tasks(14, 50)], seen)).toBeUndefined();
  // tasks that were divided before stay so
  expect(shareTasks(tasks(30), seenAs(tasks(30), ["val"]))).toBeUndefined();
});
