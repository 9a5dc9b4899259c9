import { expect, test } from "vitest";
import { isDue } from "./schedule.ts";

const instant = (text: string): number => new Date(text).getTime();

test.each([
  ["never before", "03:17", undefined, "2026-11-15T04:00:00", true],
  ["before tonight's time, after last night's", "03:17", "2026-11-14T03:17:05", "2026-11-15T02:00:00", false],
  ["tonight's has run", "03:17", "2026-11-15T03:17:01", "2026-11-15T09:00:00", false],
  ["asleep at its time, awake now", "03:17", "2026-11-14T03:17:05", "2026-11-15T09:00:00", true],
  ["by hand in the evening, then its time came", "03:17", "2026-11-14T22:00:00", "2026-11-15T03:17:00", true],
])("a night is due or not: %s", (_, at, last, now, due) => {
  expect(isDue(at, last === undefined ? undefined : instant(last), instant(now))).toBe(due);
});
