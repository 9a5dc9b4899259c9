import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { claimInterval } from "./claim-interval.ts";
import { drawClaim } from "./power.ts";
import { oddsShift, taskModel } from "./task-model.ts";

test("90% intervals hold the truth about 90 times in 100", () => {
  const model = taskModel({ baseline: 0.6, flipRate: 0.2 });
  const shift = oddsShift(model, 0.1);
  const random = seededRandom("interval");
  let held = 0;
  for (let draw = 0; draw < 1000; draw += 1) {
    const { low, high } = claimInterval(drawClaim({ model, shift, tasks: 40, trials: 3, random }), 0.9);
    if (low <= 0.1 && 0.1 <= high) held += 1;
  }
  expect(held).toBeGreaterThan(870);
  expect(held).toBeLessThan(950);
});

test("ties alone are no certainty, and nothing at all is none whatever", () => {
  const tie = { incumbent: [1], candidate: [1] };
  const { low, high } = claimInterval(
    Array.from({ length: 20 }, () => tie),
    0.9,
  );
  expect(high).toBeGreaterThan(0.08);
  expect(low).toBeCloseTo(-high, 12);
  expect(claimInterval([], 0.9)).toEqual({ low: -1, high: 1, level: 0.9 });
});
