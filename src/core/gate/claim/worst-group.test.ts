import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { sharesThatMove, worstGroup } from "./worst-group.ts";

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const rise = { incumbent: [0, 0, 0], candidate: [1, 1, 1] };
const fall = { incumbent: [1, 1, 1], candidate: [0, 0, 0] };

test("the worst of the named groups, with a bound that says something as soon as its results do", () => {
  const names = [...times(20, "a"), ...times(7, "b"), ...times(3, "")];
  const pairs = [
    ...times(20, rise),
    ...times(7, { incumbent: [1, 1, 0], candidate: [1, 1, 1] }),
    ...times(3, fall),
  ];
  const found = worstGroup(pairs, names, false);
  expect(found).toMatchObject({ name: "b", tasks: 7, groups: 2 });
  expect(found?.bound?.low).toBeGreaterThan(-0.5);
  // seven tasks of ten groups: the test over tasks refuses nothing, so that over trials bounds it
  const many = [...names, ...Array.from({ length: 40 }, (_, at) => `g${at % 8}`)];
  expect(worstGroup([...pairs, ...times(40, rise)], many, false)?.bound?.low).toBeGreaterThan(-0.7);
});

test("one group, or no names, is nothing to choose from; few tasks of one trial have no bound", () => {
  expect(worstGroup(times(5, rise), times(5, "a"), false)).toBeUndefined();
  expect(worstGroup(times(5, rise), [], false)).toBeUndefined();
  const single = times(6, { incumbent: [0], candidate: [1] });
  const found = worstGroup(single, ["a", "a", "a", "b", "b", "b"], false);
  expect(found).toMatchObject({ tasks: 3, groups: 2 });
  expect(found).not.toHaveProperty("bound");
});

test("the bound on the worst of six equal groups lies below the truth in nearly all cases", () => {
  const random = seededRandom("worst group");
  let missed = 0;
  for (let draw = 0; draw < 150; draw += 1) {
    const pairs = times(48, 0).map(() => {
      const rate = random() < 0.5 ? 0.8 : 0.3;
      const arm = () => times(3, 0).map(() => (random() < rate ? 1 : 0));
      return { incumbent: arm(), candidate: arm() };
    });
    const names = pairs.map((_, at) => `g${at % 6}`);
    if ((worstGroup(pairs, names, false)?.bound?.low ?? -1) > 0) missed += 1;
    if ((worstGroup(pairs, names, false)?.bound?.high ?? 1) < 0) missed += 1;
  }
  // 5% of 150, and what chance adds to it
  expect(missed).toBeLessThan(16);
});

test("the share that could fall is the upper end of the exact interval", () => {
  expect(sharesThatMove(times(12, rise)).couldFall).toBeCloseTo(1 - 0.025 ** (1 / 12), 6);
  expect(sharesThatMove(times(12, fall))).toMatchObject({
    couldFall: 1,
    couldRise: expect.closeTo(1 - 0.025 ** (1 / 12), 6),
  });
  expect(sharesThatMove(times(20, { ...rise, unit: 1 })).couldFall).toBeCloseTo(0.975, 6);
});
