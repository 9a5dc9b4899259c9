import { expect, test } from "vitest";
import { lookbackPattern, lookbackStart } from "./lookback.ts";

const now = Date.UTC(2026, 10, 16);

test.each([
  ["all", 0],
  ["72h", now - 72 * 3_600_000],
  ["30d", now - 30 * 86_400_000],
  ["2w", now - 14 * 86_400_000],
])("%s looks back to its instant", (lookback, start) => {
  expect(lookbackPattern.test(lookback)).toBe(true);
  expect(lookbackStart(lookback, now)).toBe(start);
});

test.each(["", "72", "d", "-3d", "1.5d", "3 days", "all of it", "123456d"])("%j is no lookback", (text) => {
  expect(lookbackPattern.test(text)).toBe(false);
});
