import { describe, expect, test } from "vitest";
import { capitalsOf, eBetter, eSome, eWorse } from "./bets.ts";
import { type TaskEvidence, type Toss, tossCoins, tossDifference } from "./toss.ts";

const toss = (withIt: number, without: number, on = true, chance = 0.5): Toss =>
  on ? { on, chance, score: withIt, other: without } : { on, chance, score: without, other: withIt };

const task = (...tosses: Toss[]): TaskEvidence => ({ task: "t", night: "0001", isOwn: true, tosses });

const always = (count: number, tosses: readonly Toss[]) =>
  Array.from({ length: count }, () => task(...tosses));

describe("bets on one wording", () => {
  test("begin with 1 and stay there while nothing is seen", () => {
    expect([eSome, eBetter, eWorse].map((value) => value(capitalsOf([])))).toEqual([1, 1, 1]);
    const equal = capitalsOf(always(9, [toss(1, 1), toss(0, 0), toss(1, 1, false)]));
    for (const value of [eSome, eBetter, eWorse]) expect(value(equal)).toBeCloseTo(1, 12);
  });

  test("a useless wording wins nothing on average, over all coins and any scores, however likely each coin is", () => {
    // what two rollouts come to does not depend on the coin: all that the coin decides is which of them has the wish
    const scores = [
      [1, 0],
      [0.25, 1],
      [0, 0],
    ] as const;
    for (const chance of [0.5, 0.2]) {
      let average = 0;
      for (let coins = 0; coins < 8; coins += 1) {
        const on = scores.map((_, at) => ((coins >> at) & 1) === 1);
        const likely = on.reduce((product, is) => product * (is ? chance : 1 - chance), 1);
        const tosses = scores.map(([score, other], at) => ({ on: on[at] === true, chance, score, other }));
        average += likely * eSome(capitalsOf([task(...tosses), task(toss(1, 0), toss(1, 0))]));
      }
      expect(average).toBeCloseTo(eSome(capitalsOf([task(toss(1, 0), toss(1, 0))])), 10);
    }
    const mirrored = (value: typeof eBetter) =>
      (value(capitalsOf([task(toss(1, 0), toss(0.5, 0))])) +
        value(capitalsOf([task(toss(0, 1), toss(0, 0.5))]))) /
      2;
    expect(mirrored(eBetter)).toBeCloseTo(1, 12);
    expect(mirrored(eWorse)).toBeCloseTo(1, 12);
  });

  test("the size of a difference counts, not only its sign", () => {
    const large = capitalsOf(always(4, [toss(1, 0), toss(1, 0), toss(1, 0)]));
    const small = capitalsOf(always(4, [toss(1, 0), toss(1, 1), toss(1, 1)]));
    expect(eBetter(large)).toBeGreaterThan(2 * eBetter(small));
    expect(eSome(large)).toBeGreaterThan(10);
    expect(eWorse(large)).toBeLessThan(0.5);
  });

  test("more tosses of one task make its difference surer, and are no more tasks", () => {
    const [few, many] = [1, 20].map((times) =>
      capitalsOf([task(...Array.from({ length: times }, () => toss(1, 0)))]),
    );
    expect(eBetter(many ?? capitalsOf([]))).toBeCloseTo(eBetter(few ?? capitalsOf([])), 12);
  });

  test("which rollout came first does not matter for a fair coin", () => {
    const [first, second] = [true, false].map((on) => capitalsOf([task(toss(1, 0, on), toss(0, 1, on))]));
    expect(first).toEqual(second);
  });
});

test("coins depend on seed, night, task and wish, and are fair", () => {
  const name = { seed: 1, night: "0001", task: "t", wish: "w" };
  const coins = tossCoins(name, 2000);
  expect(tossCoins(name, 2000)).toEqual(coins);
  for (const other of [{ seed: 2 }, { night: "0002" }, { task: "u" }, { wish: "v" }])
    expect(tossCoins({ ...name, ...other }, 2000)).not.toEqual(coins);
  expect(Math.abs(coins.filter(Boolean).length - 1000)).toBeLessThan(100);
});

test("a difference is the mean with the wish less the mean without", () => {
  expect(tossDifference([toss(1, 0), toss(1, 0.5, false)])).toBe(0.75);
  expect(tossDifference([])).toBe(0);
});
