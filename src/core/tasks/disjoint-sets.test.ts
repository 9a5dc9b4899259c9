import { expect, test } from "vitest";
import { disjointSets } from "./disjoint-sets.ts";

test("sets grow together and the smallest number stands for them", () => {
  const sets = disjointSets(6);
  expect(sets.join(4, 5)).toBe(true);
  expect(sets.join(1, 4)).toBe(true);
  expect(sets.join(5, 1)).toBe(false);
  expect([0, 1, 2, 3, 4, 5].map((item) => sets.find(item))).toEqual([0, 1, 2, 3, 1, 1]);
});
