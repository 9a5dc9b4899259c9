import { expect, test } from "vitest";
import { toGrid } from "./claim-pair.ts";

test("scores go to twentieths, half to even", () => {
  expect([0, 0.025, 0.075, 0.1, 0.33, 0.5, 0.975, 1].map(toGrid)).toEqual([0, 0, 2, 2, 7, 10, 20, 20]);
});

test.each([Number.NaN, -0.01, 1.01, Number.POSITIVE_INFINITY])("%d is no score", (score) => {
  expect(() => toGrid(score)).toThrow("A score must be between 0 and 1");
});
