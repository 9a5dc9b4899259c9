import fc from "fast-check";
import { expect, test } from "vitest";
import { WhetstoneError } from "../errors.ts";
import { shuffle, seededRandom } from "../random.ts";
import { checkSplits } from "./check-splits.ts";
import { splitTasks, type SplitRatio } from "./split.ts";
import { type SplitName, type Splits, type Task, splitNames } from "./task.ts";
import { askedHash } from "./asked-hash.ts";
import { taskHash } from "./task-hash.ts";

const tasksOf = (count: number): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({ id: `t${at}`, input: `Question ${at}?`, answers: [`${at}`] }));

const countsOf = ({ train, val, test }: Splits) => [train.length, val.length, test.length];

test.each<[number, SplitRatio | undefined, number[]]>([
  [1000, undefined, [425, 425, 150]],
  [500, undefined, [175, 175, 150]],
  [200, undefined, [67, 66, 67]],
  [100, undefined, [33, 33, 34]],
  [35, undefined, [12, 11, 12]],
  [20, undefined, [7, 6, 7]],
  [12, undefined, [4, 4, 4]],
  [3, undefined, [1, 1, 1]],
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

test("a file may grow: what was placed stays, and nothing that was trained or selected on becomes a test", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 6, max: 80 }),
      fc.integer({ min: 1, max: 40 }),
      fc.nat(),
      (count, more, seed) => {
        const first = splitTasks(tasksOf(count), { seed: 1 }).splits;
        const seen = new Map(
          splitNames.flatMap((name) =>
            first[name].map((task) => [askedHash(task), new Set([name])] as const),
          ),
        );
        // the same command again finds the same splits, row by row
        expect(splitTasks(tasksOf(count), { seed: 1, seen }).splits).toEqual(first);
        const { splits } = splitTasks(tasksOf(count + more), { seed, seen });
        for (const name of splitNames) expect(splits[name]).toEqual(expect.arrayContaining([...first[name]]));
        const sizes = countsOf(splits);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(2);
      },
    ),
  );
});

test("a cluster that has been on two sides goes where it was trained on", () => {
  const tasks = tasksOf(12).map((task, at) => (at < 2 ? { ...task, group: "joined" } : task));
  const [one, other] = tasks.map(askedHash) as [string, string];
  const seen = new Map<string, ReadonlySet<SplitName>>([
    [one, new Set(["test"])],
    [other, new Set(["val"])],
  ]);
  const { splits } = splitTasks(tasks, { seed: 1, seen });
  expect(splits.val).toEqual(expect.arrayContaining([tasks[0], tasks[1]]));
  // without a test split it may be trained on: a task may leave test
  const untested = splitTasks(tasks, {
    seed: 1,
    ratio: [1, 1, 0],
    seen: new Map([[one, new Set(["test"] as const)]]),
  });
  expect(untested.splits.test).toEqual([]);
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
  expect(() => splitTasks(one, { seed: 1 })).toThrow(
    /^There are 30 tasks, which count as 1 because groups and near-duplicates stay together: none is left for (?:train|val)\.$/,
  );
  expect(() => splitTasks(tasksOf(1), { seed: 1 })).toThrow(
    /^There is 1 task: none is left for (?:train|val)\.$/,
  );
  expect(() => splitTasks([], { seed: 1 })).toThrow(WhetstoneError);
});

test("two groups are enough for train and val, whatever the seed", () => {
  const two = tasksOf(30).map((task, at) => ({ ...task, group: at < 15 ? "one" : "other" }));
  for (let seed = 0; seed < 30; seed += 1)
    expect(countsOf(splitTasks(two, { seed }).splits)).toEqual([15, 15, 0]);
});

test.each<[SplitRatio]>([[[0, 1, 1]], [[1, 0, 1]], [[1, 1, -1]], [[1, Number.NaN, 1]]])(
  "%j is no ratio",
  (ratio) => {
    expect(() => splitTasks(tasksOf(30), { seed: 1, ratio })).toThrow(/isn't a ratio/);
  },
);
