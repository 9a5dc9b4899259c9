import fc from "fast-check";
import { expect, test } from "vitest";
import { WhetstoneError } from "../errors.ts";
import { shuffle, seededRandom } from "../random.ts";
import { checkSplits } from "./check-splits.ts";
import { splitTasks, type SplitRatio } from "./split.ts";
import type { Splits, Task } from "./task.ts";
import { taskHash } from "./task-hash.ts";

const tasksOf = (count: number): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({ id: `t${at}`, input: `Question ${at}?`, answers: [`${at}`] }));

const countsOf = ({ train, val, test }: Splits) => [train.length, val.length, test.length];

test.each<[number, SplitRatio | undefined, number[]]>([
  [1000, undefined, [200, 100, 700]],
  [200, undefined, [40, 20, 140]],
  [199, undefined, [80, 79, 40]],
  [20, undefined, [8, 8, 4]],
  [19, undefined, [10, 9, 0]],
  [2, undefined, [1, 1, 0]],
  [10, [2, 1, 7], [2, 1, 7]],
  [11, [1, 1, 1], [4, 4, 3]],
  [10, [6, 4, 0], [6, 4, 0]],
])("%d tasks at %j become %j", (count, ratio, counts) => {
  const { splits } = splitTasks(tasksOf(count), { seed: 42, ...(ratio && { ratio }) });
  expect(countsOf(splits)).toEqual(counts);
});

test("every task is in one split, and the manifest lists their hashes", () => {
  const tasks = tasksOf(50);
  const { splits, manifest } = splitTasks(tasks, { seed: 1 });
  const all = [...splits.train, ...splits.val, ...splits.test];
  expect(all).toHaveLength(50);
  expect(new Set(all)).toEqual(new Set(tasks));
  expect(manifest.val).toEqual(splits.val.map(taskHash));
});

test("the seed decides, the order of the rows does not", () => {
  const tasks = tasksOf(50);
  const first = splitTasks(tasks, { seed: 1 });
  expect(splitTasks(shuffle(tasks, seededRandom("rows")), { seed: 1 })).toEqual(first);
  expect(splitTasks(tasks, { seed: 2 })).not.toEqual(first);
});

test("groups, duplicates and near-duplicates stay together", () => {
  const long = (word: string) =>
    `${Array.from({ length: 80 }, (_, at) => "w".repeat(at + 1)).join(" ")} ${word}`;
  const special = fc.record({
    group: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
    input: fc.constantFrom("Same?", "same", long("one"), long("two"), undefined),
  });
  fc.assert(
    fc.property(fc.array(special, { maxLength: 15 }), fc.nat(), (specials, seed) => {
      const tasks = tasksOf(60).map((task, at): Task => {
        const { group, input } = specials[at] ?? {};
        return { ...task, ...(group && { group }), ...(input && { input }) };
      });
      const { splits } = splitTasks(tasks, { seed });
      expect(() => checkSplits(splits)).not.toThrow();
      expect(countsOf(splits).reduce((sum, count) => sum + count)).toBe(60);
    }),
  );
});

test("tasks that cannot fill train and val are refused", () => {
  const one = tasksOf(30).map((task) => ({ ...task, group: "all" }));
  expect(() => splitTasks(one, { seed: 1 })).toThrow(/30 tasks in 1 clusters.*none for val/);
  expect(() => splitTasks(tasksOf(1), { seed: 1 })).toThrow(WhetstoneError);
  expect(() => splitTasks([], { seed: 1 })).toThrow(WhetstoneError);
});

test.each<[SplitRatio]>([[[0, 1, 1]], [[1, 0, 1]], [[1, 1, -1]], [[1, Number.NaN, 1]]])(
  "%j is no ratio",
  (ratio) => {
    expect(() => splitTasks(tasksOf(30), { seed: 1, ratio })).toThrow(/is not a ratio/);
  },
);
