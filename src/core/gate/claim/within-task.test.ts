import fc from "fast-check";
import { expect, test } from "vitest";
import type { FinishedPair } from "./claim-pair.ts";
import { signFlipP } from "./sign-flip.ts";
import { withinTaskP } from "./within-task.ts";

const score = fc.integer({ min: 0, max: 20 }).map((steps) => steps / 20);

const pairsOf = (trials: number, tasks: number) =>
  fc.array(
    fc.record({
      incumbent: fc.array(score, { minLength: trials, maxLength: trials }),
      candidate: fc.array(score, { minLength: trials, maxLength: trials }),
    }),
    { minLength: 1, maxLength: tasks },
  );

test("equals the count over all exchanges of trials within tasks", () => {
  fc.assert(
    fc.property(fc.oneof(pairsOf(1, 6), pairsOf(2, 4), pairsOf(3, 3)), (pairs) => {
      expect(withinTaskP(pairs)).toBeCloseTo(shareOfExchanges(pairs), 12);
    }),
  );
});

test("is the sign-flip test when every task has one trial", () => {
  fc.assert(
    fc.property(pairsOf(1, 11), (pairs) => {
      const differences = pairs.map(({ incumbent, candidate }) =>
        Math.round(20 * ((candidate[0] ?? 0) - (incumbent[0] ?? 0))),
      );
      expect(withinTaskP(pairs)).toBeCloseTo(signFlipP(differences), 12);
    }),
  );
});

test("never rises when a trial speaks more for the candidate", () => {
  fc.assert(
    fc.property(pairsOf(3, 8), fc.nat(), fc.nat(2), fc.boolean(), score, (pairs, pick, trial, own, value) => {
      const task = pick % pairs.length;
      const pair = pairs[task] as FinishedPair;
      const arm = own ? pair.candidate : pair.incumbent;
      const better = own ? Math.max(arm[trial] ?? 0, value) : Math.min(arm[trial] ?? 0, value);
      const changed: FinishedPair = { ...pair, [own ? "candidate" : "incumbent"]: arm.with(trial, better) };
      const raised: readonly FinishedPair[] = pairs.map((pair, at) => (at === task ? changed : pair));
      expect(withinTaskP(raised)).toBeLessThanOrEqual(withinTaskP(pairs) + 1e-12);
    }),
  );
});

test("trials bought later for one task change arms only among themselves", () => {
  const pairs = [
    { incumbent: [0], candidate: [1] },
    { incumbent: [0, 0], candidate: [1, 1] },
  ];
  // three independent exchanges of one trial each, all in the candidate's favour
  expect(withinTaskP(pairs)).toBe(1 / 8);
});

test("no difference anywhere gives 1", () => {
  expect(withinTaskP([{ incumbent: [0, 0], candidate: [0, 0] }])).toBe(1);
  expect(withinTaskP([{ incumbent: [1, 1], candidate: [1, 1] }])).toBe(1);
});

function shareOfExchanges(pairs: readonly FinishedPair[]): number {
  const steps = (value: number) => Math.round(20 * value);
  let sums = [0];
  for (const { incumbent, candidate } of pairs) {
    const pool = [...incumbent, ...candidate].map(steps);
    const own: number[] = [];
    for (let subset = 0; subset < 2 ** pool.length; subset += 1) {
      const chosen = pool.filter((_, at) => (subset >> at) & 1);
      if (chosen.length === candidate.length) own.push(chosen.reduce((sum, value) => sum + value, 0));
    }
    sums = sums.flatMap((sum) => own.map((more) => sum + more));
  }
  const observed = pairs
    .flatMap(({ candidate }) => candidate.map(steps))
    .reduce((sum, value) => sum + value, 0);
  return sums.filter((sum) => sum >= observed).length / sums.length;
}
