import { expect, test } from "vitest";
import { normalAbove, observe, sums, valueOfKnowing, varianceOfDifference } from "./gaussian.ts";

test("two equal pieces of evidence meet in the middle and halve the variance", () => {
  const { mean, covariance } = observe(
    {
      mean: [0, 5],
      covariance: [
        [1, 0],
        [0, 2],
      ],
    },
    0,
    1,
    1,
  );
  expect(mean).toEqual([0.5, 5]);
  expect(covariance).toEqual([
    [0.5, 0],
    [0, 2],
  ]);
});

test("what is known about one number moves what it is tied to", () => {
  const tied = sums(
    {
      mean: [1, 2],
      covariance: [
        [4, 0],
        [0, 1],
      ],
    },
    [[0], [0, 1], []],
  );
  expect(tied).toEqual({
    mean: [1, 3, 0],
    covariance: [
      [4, 4, 0],
      [4, 5, 0],
      [0, 0, 0],
    ],
  });
  expect(varianceOfDifference(tied, 1, 0)).toBe(1);
  expect(observe(tied, 0, 3, 0).mean).toEqual([3, 5, 0]);
});

// tables of the normal distribution
test.each([
  [0, 0.5],
  [1, 0.15865525393],
  [2.9, 0.0018658133],
  [3.1, 0.00096760321],
  [5, 2.8665157e-7],
])("a normal variable is above %d with chance %d", (value, chance) => {
  expect(normalAbove(value) / chance).toBeCloseTo(1, 7);
});

test("knowing more is worth most at a coin toss and nothing when sure", () => {
  expect(valueOfKnowing(0, 1)).toBeCloseTo(1 / Math.sqrt(2 * Math.PI), 12);
  expect(valueOfKnowing(1, 1)).toBeCloseTo(0.0833154706, 9);
  expect(valueOfKnowing(-1, 1)).toBe(valueOfKnowing(1, 1));
  expect(valueOfKnowing(9, 1)).toBeLessThan(1e-18);
});
