import { expect, test } from "vitest";
import type { EventBody } from "../core/events.ts";
import { createLiveCalls } from "./live-calls.ts";

const place = { role: "target", step: 1, stage: "rollout" } as const;
const cost = { nanoUsd: 0, tokens: 1, calls: 1 };

function watch(events: readonly (EventBody & { readonly at: number })[]) {
  const calls = createLiveCalls();
  for (const event of events) calls.add({ v: 1, seq: 1, run: "r", ...event });
  return calls;
}

test("a call is in flight from its try to its result or failure", () => {
  const calls = watch([
    { type: "try-start", key: "a", ...place, at: 10 },
    { type: "try-start", key: "b", ...place, at: 20 },
    { type: "try-start", key: "c", ...place, role: "optimizer", at: 30 },
    { type: "unit-end", key: "a", ...place, from: "provider", cost, ms: 1, tries: 1, at: 40 },
    { type: "try-failed", key: "c", ...place, class: "throttle", message: "slow down", at: 50 },
  ]);
  expect(calls.inFlight()).toEqual({
    groups: [{ role: "target", stage: "rollout", count: 1 }],
    oldestAt: 20,
    retrying: 1,
  });
  calls.add({
    v: 1,
    seq: 1,
    run: "r",
    type: "unit-pending",
    key: "c",
    ...place,
    class: "throttle",
    message: "no",
    at: 60,
  });
  expect(calls.inFlight().retrying).toBe(0);
  expect(calls.failures()).toEqual([{ class: "throttle", count: 1, message: "slow down" }]);
});

test("the rate counts bought results of the last ten seconds", () => {
  const end = (at: number, from: "provider" | "journal" = "provider") =>
    ({ type: "unit-end", key: String(at), ...place, from, cost, ms: 1, tries: 1, at }) as const;
  const start = { type: "stage-start", step: 1, stage: "rollout", total: 90, at: 0 } as const;
  const steady = Array.from({ length: 60 }, (_, second) => [end(1000 * second), end(1000 * second + 500)]);
  const calls = watch([start, end(1, "journal"), ...steady.flat()]);
  expect(calls.rate("rollout", 59_999)).toBeCloseTo(2, 5);
  expect(calls.rate("rollout", 80_000)).toBe(0);
  expect(calls.rate("reflect", 59_999)).toBeUndefined();
});
