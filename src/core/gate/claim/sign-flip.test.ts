import fc from "fast-check";
import { expect, test } from "vitest";
import { binomial } from "./claim-limits.ts";
import { signFlipP } from "./sign-flip.ts";

const difference = fc.integer({ min: -100, max: 100 });

test("equals the count over all subsets", () => {
  fc.assert(
    fc.property(fc.array(difference, { maxLength: 11 }), (values) => {
      expect(signFlipP(values)).toBe(shareOfSubsets(values));
    }),
  );
});

test("is the exact one-sided McNemar test for single pass/fail trials", () => {
  fc.assert(
    fc.property(fc.nat(45), fc.nat(45), fc.nat(20), (wins, losses, ties) => {
      const values = [...Array(wins).fill(20), ...Array(losses).fill(-20), ...Array(ties).fill(0)];
      let atLeast = 0;
      for (let more = wins; more <= wins + losses; more += 1) atLeast += binomial(wins + losses, more);
      expect(signFlipP(values)).toBeCloseTo(atLeast / 2 ** (wins + losses), 12);
    }),
  );
});

test("never rises when a difference rises", () => {
  fc.assert(
    fc.property(
      fc.array(difference, { minLength: 1, maxLength: 40 }),
      fc.nat(),
      fc.integer({ min: 1, max: 200 }),
      (values, pick, rise) => {
        const raised = values.with(pick % values.length, (values[pick % values.length] ?? 0) + rise);
        expect(signFlipP(raised)).toBeLessThanOrEqual(signFlipP(values) + 1e-14);
      },
    ),
  );
});

test("the best of n tasks gives 2⁻ⁿ, the worst and no evidence give 1", () => {
  expect(signFlipP(Array(30).fill(7))).toBe(2 ** -30);
  expect(signFlipP(Array(30).fill(-7))).toBe(1);
  expect(signFlipP([])).toBe(1);
  expect(signFlipP([0, 0, 0])).toBe(1);
});

test("200 tasks of 5 graded trials are counted, although they have 2²⁰⁰ subsets", () => {
  const values = Array.from({ length: 200 }, (_, task) => ((task * 37) % 201) - 95);
  // the chance of a tie is all that the two sides share
  const both = signFlipP(values) + signFlipP(values.map((value) => -value));
  expect(both).toBeGreaterThan(1);
  expect(both).toBeLessThan(1.01);
});

function shareOfSubsets(values: readonly number[]): number {
  let atMost = 0;
  for (let subset = 0; subset < 2 ** values.length; subset += 1) {
    const sum = values.reduce((total, value, at) => total + ((subset >> at) & 1 ? value : 0), 0);
    if (sum <= 0) atMost += 1;
  }
  return atMost / 2 ** values.length;
}
