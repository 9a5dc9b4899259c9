import { expect, test } from "vitest";
import { chipColumn } from "./chip-column.ts";

test("a column of chips holds its longest case", () => {
  expect(chipColumn([["better"], ["higher on these tasks"]])).toBe("calc(21ch + 3.70rem)");
});

test("two chips side by side count their edges twice", () => {
  expect(chipColumn([["always passes"], ["regressed", "flaky"]])).toBe("calc(14ch + 6.20rem)");
  expect(chipColumn([])).toBe("calc(0ch + 1.20rem)");
});
