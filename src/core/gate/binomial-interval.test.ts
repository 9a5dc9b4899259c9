import { expect, test } from "vitest";
import { binomialInterval } from "./binomial-interval.ts";

test.each([
  // tables of Clopper and Pearson, 95%
  [0, 10, 0, 0.3085],
  [1, 10, 0.0025, 0.445],
  [5, 10, 0.1871, 0.8129],
  [10, 10, 0.6915, 1],
  [4, 29, 0.0389, 0.3166],
  [0, 0, 0, 1],
])("%d of %d lies between %d and %d", (times, of, low, high) => {
  const [found, most] = binomialInterval(times, of);
  expect(found).toBeCloseTo(low, 4);
  expect(most).toBeCloseTo(high, 4);
});

test("thousands are no trouble", () => {
  const [low, high] = binomialInterval(300, 6000);
  expect(low).toBeCloseTo(0.0446, 3);
  expect(high).toBeCloseTo(0.0558, 3);
});
