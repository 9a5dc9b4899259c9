import fc from "fast-check";
import { expect, test } from "vitest";
import { proveTogether } from "./prove-together.ts";

const equal = (...values: readonly number[]) => values.map((value) => ({ value, weight: 1 }));

test("one wording needs 10, and each that is tried beside it makes the bar higher", () => {
  expect(proveTogether(equal(9.9))).toEqual([]);
  expect(proveTogether(equal(10))).toEqual([0]);
  expect(proveTogether(equal(19, 1))).toEqual([]);
  expect(proveTogether(equal(1, 20))).toEqual([1]);
  expect(proveTogether([])).toEqual([]);
});

test("several that are strong carry one another", () => {
  expect(proveTogether(equal(16, 1, 15))).toEqual([0, 2]);
  expect(proveTogether(equal(16, 1, 14))).toEqual([]);
});

test("what was said more often is believed sooner, at the cost of the others", () => {
  const values = [
    { value: 12, weight: 9 },
    { value: 12, weight: 1 },
  ];
  expect(proveTogether(values)).toEqual([0]);
  expect(proveTogether(values.map((one) => ({ ...one, weight: 1 })))).toEqual([0, 1]);
});

test("the set is the largest whose members all pass the bar of its size", () => {
  const proofs = fc.array(
    fc.record({
      value: fc.double({ min: 0, max: 200, noNaN: true }),
      weight: fc.integer({ min: 1, max: 9 }),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(proofs, (all) => {
      const total = all.reduce((sum, { weight }) => sum + weight, 0);
      const passes = (size: number) =>
        all.filter(({ value, weight }) => (value * weight) / total >= 1 / (0.1 * size)).length >= size;
      const largest = all.map((_, at) => at + 1).findLast(passes) ?? 0;
      expect(proveTogether(all)).toHaveLength(largest);
    }),
  );
});
