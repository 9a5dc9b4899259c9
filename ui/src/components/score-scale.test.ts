import fc from "fast-check";
import { expect, test } from "vitest";
import { scoreScale, stepTicks } from "./score-scale.ts";

test("a scale has every score, two marks or more, and nothing beyond 0 to 100", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (scores) => {
      const { min, max, ticks } = scoreScale(scores);
      for (const score of scores) expect(100 * score >= min && 100 * score <= max).toBe(true);
      expect(min).toBeGreaterThanOrEqual(0);
      expect(max).toBeLessThanOrEqual(100);
      expect(ticks.length).toBeGreaterThan(1);
    }),
  );
});

test.each([
  [1, 1, 1],
  [4, 1, 1],
  [12, 1, 2],
  [16, 1, 2],
  [17, 2, 5],
  [100, 10, 20],
  [1000, 100, 200],
])("of %i steps every one has its number while there is room", (last, wide, narrow) => {
  expect(stepTicks(last, 16)[1]).toBe(wide);
  expect(stepTicks(last, 8)[1]).toBe(narrow);
});
