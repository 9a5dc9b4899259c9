import { expect, test } from "vitest";
import { normalAbove } from "./normal.ts";

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
