import { expect, test } from "vitest";
import { createPaces } from "./pace.ts";

const heard = (seconds: number, tokens = 100) => ({
  ms: 1000 * seconds,
  cost: { nanoUsd: 0, tokens, calls: 1 },
});
const minutes = (count: number): number => count * 60_000;

test("before anything is known a call has ten minutes, and each further try twice as long", () => {
  const pace = createPaces()("a/b");
  expect([1, 2, 3, 4].map((nth) => pace.deadlineMs("target", nth))).toEqual([10, 20, 40, 60].map(minutes));
});

test("quick answers shorten the deadline to five minutes; slow ones give it ten times their time, up to an hour", () => {
  const pace = createPaces()("a/b");
  for (let call = 0; call < 4; call += 1) pace.hear("target", heard(2));
  expect(pace.deadlineMs("target", 1)).toBe(minutes(5));
  pace.hear("target", heard(90));
  expect(pace.deadlineMs("target", 1)).toBe(minutes(15));
  pace.hear("target", heard(900));
  expect(pace.deadlineMs("target", 1)).toBe(minutes(60));
  // another role asks for other answers
  expect(pace.deadlineMs("optimizer", 1)).toBe(minutes(10));
  for (let call = 0; call < 32; call += 1) pace.hear("target", heard(2));
  expect(pace.deadlineMs("target", 1)).toBe(minutes(5));
});

test("a deadline that somebody set stays as it is", () => {
  const pace = createPaces(90)("a/b");
  pace.hear("target", heard(80));
  expect([1, 3].map((nth) => pace.deadlineMs("target", nth))).toEqual([90_000, 90_000]);
});

test("twice the fastest speed so far bounds what can have been worked on", () => {
  const paceOf = createPaces();
  expect(paceOf("a/b").mostTokens(0)).toBe(Number.POSITIVE_INFINITY);
  paceOf("a/b").hear("target", heard(25, 50));
  paceOf("a/b").hear("target", heard(100, 50));
  expect(paceOf("a/b").mostTokens(10_000)).toBe(40);
});
