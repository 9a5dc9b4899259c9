import { expect, test } from "vitest";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../../test/support/temp-dir.ts";
import { WhetstoneError } from "../core/errors.ts";
import { checkedFile } from "./checked-file.ts";
import { forgetFailures, noteFailure, readFailures } from "./failures.ts";
import { isDue, isNightDue } from "./schedule.ts";
import { noNights, stateFile } from "./state.ts";

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

test("a night that failed is tried again an hour later, three times a day in all", async () => {
  const dir = await tempDir({});
  mkdirSync(join(dir, "sleep"));
  await checkedFile(join(dir, "sleep", "schedule.json"), "").write({ at: "03:17" });
  const night = { ...noNights, nights: [{ startedAt: instant("2026-11-14T03:17:05") }] };
  await stateFile(dir).write(night as unknown as typeof noNights);
  const fail = (at: string) =>
    noteFailure(dir, new WhetstoneError("failed", "No answer.", { hint: "Wait." }), instant(at));
  const due = (at: string) => isNightDue(dir, instant(at));
  await fail("2026-11-15T03:17:20");
  expect(due("2026-11-15T04:17:00")).toBe(true);
  await fail("2026-11-15T04:17:20");
  expect(due("2026-11-15T05:17:00")).toBe(true);
  await fail("2026-11-15T05:17:20");
  expect(due("2026-11-15T06:17:00")).toBe(false);
  expect(due("2026-11-16T03:17:00")).toBe(true);
  for (let hour = 3; hour < 6; hour += 1) await fail(`2026-11-16T0${hour}:17:20`);
  expect(due("2026-11-16T23:17:00")).toBe(false);
  expect(readFailures(dir)).toMatchObject({ count: 6, message: "No answer.", hint: "Wait." });
  expect(readFailures(dir)?.at[0]).toBe(instant("2026-11-15T03:17:20"));
  // what waits for a person, or was stopped by one, has not failed
  await noteFailure(
    dir,
    new WhetstoneError("handoff-pending", "Answer.", {}),
    instant("2026-11-16T06:17:20"),
  );
  expect(readFailures(dir)?.count).toBe(6);
  await forgetFailures(dir);
  expect([readFailures(dir), due("2026-11-16T23:17:00")]).toEqual([undefined, true]);
});
