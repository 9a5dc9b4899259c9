import { expect, test } from "vitest";
import { createClimb } from "./climb.ts";

/** A server that ends so many calls at once per second, however many are in flight beyond that. */
function climbOn(slots: number, rounds: number, start = 2): readonly number[] {
  const climb = createClimb();
  let [limit, now] = [start, 0];
  const seen = [limit];
  for (let round = 0; round < rounds; round += 1) {
    climb.full(now);
    now += 1000;
    const before = limit;
    for (let ends = Math.min(before, slots); ends > 0; ends -= 1) limit = climb.success(limit, now, true);
    if (limit !== before) seen.push(limit);
  }
  return seen;
}

test("as long as twice as many in flight make more calls end, the limit doubles", () => {
  expect(climbOn(1000, 12)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512]);
});

test("a server with one slot is tried with twice as many from time to time, and never with more", () => {
  const seen = climbOn(1, 500);
  expect(seen.slice(0, 5)).toEqual([2, 4, 2, 4, 2]);
  expect(Math.max(...seen)).toBe(4);
  // each time in vain it waits for longer
  expect(seen.length).toBeLessThan(16);
});

test("it stays where the slots are filled", () => {
  expect(climbOn(8, 30)).toEqual([2, 4, 8, 16, 8, 16, 8]);
});

test("what ends while nobody waits says nothing", () => {
  const climb = createClimb();
  let limit = 8;
  for (let call = 0; call < 100; call += 1) limit = climb.success(limit, call * 1000, false);
  expect(limit).toBe(8);
});

test("a call that took too long halves, and the climb begins again only after a while", () => {
  const climb = createClimb();
  let limit = climb.late(16);
  expect(limit).toBe(8);
  climb.full(0);
  for (let call = 1; call <= 60; call += 1) limit = climb.success(limit, call, true);
  expect(limit).toBe(8);
  expect(climb.late(1)).toBe(1);
});
