import { expect, test } from "vitest";
import { studentQuantile } from "./claim-interval.ts";

// quantiles of printed tables
test.each([
  [0.975, 1, 12.7062],
  [0.975, 3, 3.1824],
  [0.95, 10, 1.8125],
  [0.95, 11, 1.7959],
  [0.995, 30, 2.75],
])("Student's t: %d at %d degrees of freedom is %d", (chance, freedom, value) => {
  expect(studentQuantile(chance, freedom)).toBeCloseTo(value, 4);
  expect(studentQuantile(1 - chance, freedom)).toBeCloseTo(-value, 4);
});
