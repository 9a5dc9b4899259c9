import { expect, test } from "vitest";
import { planClaim } from "./plan-claim.ts";

const claim = { trials: 3, alpha: 0.03, flipRate: 0.2, baseline: 0.5, seed: 1 };

test("a claim of forty tasks finds large gains, and says what small ones would take", () => {
  const { detectable, power, needed, limits } = planClaim({ ...claim, tasks: 40 });
  expect(limits.possible).toBe(true);
  expect(detectable).toBeGreaterThan(0.08);
  expect(detectable).toBeLessThan(0.2);
  expect(power.map(({ trials }) => trials)).toEqual([1, 3, 5, 10]);
  for (const { chances } of power) {
    const found = chances.map((chance) => chance.power ?? Number.NaN);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  }
  expect(needed.map(({ effect }) => effect)).toEqual([0.05, 0.1]);
  expect(needed[0]?.tasks).toBeGreaterThan(150);
  expect(needed[1]?.trials).toBeGreaterThan(3);
});

test("where nothing can pass, no power is claimed", () => {
  const { limits, detectable } = planClaim({ ...claim, tasks: 2, trials: 1 });
  expect(limits).toMatchObject({ possible: false, bestP: 0.25, trialsNeeded: 2 });
  expect(detectable).toBeNull();
});

test("a score that leaves no room has no chance to gain as much", () => {
  const { power } = planClaim({ ...claim, tasks: 20, baseline: 0.9 });
  expect(power[0]?.chances.map((chance) => chance.power === null)).toEqual([false, false, true]);
});
