import { expect, test } from "vitest";
import { firstBar, leftAfter, lookPart, payOf } from "./account.ts";

function paysOf(questions: number, memory: "lasts" | "fades"): readonly number[] {
  const paid: number[] = [];
  for (let at = 0; at < questions; at += 1) paid.push(payOf(leftAfter(paid, memory)));
  return paid;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

test("the first question has three fifths, the next ten two thirds of the rest, and all together what there is", () => {
  const pays = paysOf(300, "lasts");
  expect(firstBar(0.05)).toBeCloseTo(0.027, 12);
  expect(pays.slice(0, 3)).toEqual([0.6, expect.closeTo(0.4 / 15, 12), expect.closeTo(0.4 / 15, 12)]);
  expect(total(pays.slice(1, 11))).toBeCloseTo((0.4 * 2) / 3, 9);
  expect(total(pays.slice(11, 21))).toBeCloseTo((0.4 * 2) / 9, 9);
  expect(pays).toEqual(pays.toSorted((a, b) => b - a));
  expect(total(pays)).toBeCloseTo(1, 6);
});

test("a memory that fades leaves something for ever, and no more than there is of what it remembers", () => {
  const pays = paysOf(400, "fades");
  const later = pays.slice(200);
  expect(Math.min(...later)).toBeGreaterThan(0.008);
  expect(Math.max(...later)).toBeLessThan(0.03);
  for (let at = 0; at < pays.length; at += 1)
    expect(leftAfter(pays.slice(0, at), "fades")).toBeGreaterThan(0.1);
  // half of what was paid thirty questions ago
  expect(leftAfter([0.6, ...Array.from({ length: 29 }, () => 0)], "fades")).toBeCloseTo(0.7, 12);
});

test("looks at one question share what it pays", () => {
  const parts = Array.from({ length: 40 }, (_, at) => lookPart(at + 1));
  expect(parts.slice(0, 3)).toEqual([0.9, 0.05, 0.025]);
  expect(total(parts)).toBeLessThanOrEqual(1);
});
