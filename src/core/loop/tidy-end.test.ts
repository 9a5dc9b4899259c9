import { expect, test } from "vitest";
import type { TextResult } from "../rules/rule-search.ts";
import { losesLittle } from "./tidy-end.ts";

/** Sixty tasks of one group, each rolled three times with the kept rules and seven times with the tidied text. */
function roll(passes: { readonly now: number; readonly before: number }): readonly TextResult[] {
  const text = (task: number, rules: readonly number[], rollouts: number, hits: number) =>
    Array.from({ length: rollouts }, (_, nth): TextResult => ({ task, rules, score: nth < hits ? 1 : 0 }));
  return Array.from({ length: 60 }, (_, task) => [
    ...text(task, [1, 2], 3, passes.before + (task % 2)),
    ...text(task, [1, 2, 9], 7, passes.now + (task % 3)),
  ]).flat();
}

test("shares of many tasks are compared in whole points", () => {
  const groups = Array.from({ length: 60 }, () => "parcels");
  expect(losesLittle(9, roll({ now: 5, before: 2 }), groups)).toBe(true);
  expect(losesLittle(9, roll({ now: 1, before: 2 }), groups)).toBe(false);
});
