import { expect, test } from "vitest";
import { beginning, makeForecast } from "./course.ts";
import { type BoughtResult, createPaceClock } from "./pace.ts";
import { timeLeft } from "./time-left.ts";

/** Results of the target, `beside` at a time, each call so long. */
function play(
  stage: BoughtResult["stage"],
  { results, ms, beside = 1, from = 0 }: { results: number; ms: number; beside?: number; from?: number },
): readonly BoughtResult[] {
  return Array.from({ length: results }, (_, nth) => {
    const at = from + ms * (1 + Math.floor(nth / beside));
    return { stage, role: "target", at, ms };
  });
}

const paceOf = (results: readonly BoughtResult[]) => {
  const clock = createPaceClock(0);
  for (const result of results) clock.add(result);
  return clock.seen();
};

/** Twenty results of the baseline, then twenty of the test, four at a time, a second each. */
const forecast = makeForecast([
  {
    passed: [beginning],
    pace: paceOf([
      ...play("baseline", { results: 20, ms: 1000, beside: 4 }),
      ...play("test", { results: 20, ms: 1000, beside: 4, from: 5000 }),
    ]),
  },
]);
const leftAfter = (results: readonly BoughtResult[]) => {
  const pace = paceOf(results);
  return timeLeft({ forecast, passed: beginning, pace }, pace.at);
};

test("nothing is said without a rehearsal, and all of the rehearsal before the first result", () => {
  expect(timeLeft({ passed: beginning, pace: paceOf([]) }, 0)).toBeUndefined();
  expect(leftAfter([])).toBe(10_000);
});

test("a slow model makes slow what it has not done yet", () => {
  const left = leftAfter(play("baseline", { results: 20, ms: 3000, beside: 4 })) ?? 0;
  expect(left / 15_000).toBeGreaterThan(0.8);
  expect(left / 15_000).toBeLessThan(1.2);
});

test("a server with one slot has no more of them for the work to come", () => {
  // calls wait in the server, so they look four times as long
  const one = play("baseline", { results: 20, ms: 1000 }).map((result) => ({ ...result, ms: 4000 }));
  const left = leftAfter(one) ?? 0;
  expect(left / 20_000).toBeGreaterThan(0.8);
  expect(left / 20_000).toBeLessThan(1.25);
});

test("a search that comes home with nothing is over", () => {
  const pace = paceOf(play("baseline", { results: 20, ms: 1000, beside: 4 }));
  const passed = { after: "search", kept: false, done: {} } as const;
  const rehearsed = makeForecast([{ passed: [beginning, { ...passed, kept: true }], pace: paceOf([]) }]);
  expect(timeLeft({ forecast: rehearsed, passed, pace }, pace.at)).toBe(0);
});

test("a sealed test that has begun is all that is left, however large rehearsals thought it", () => {
  const pace = paceOf([
    ...play("baseline", { results: 20, ms: 1000, beside: 4 }),
    ...play("test", { results: 20, ms: 1000, beside: 4, from: 5000 }),
  ]);
  const passed = { after: "search", kept: true, done: {} } as const;
  expect(timeLeft({ forecast, passed, pace }, pace.at)).toBe(0);
  expect(timeLeft({ forecast, passed, pace, announced: 60 }, pace.at)).toBeCloseTo(10_000, -2);
});

test("time that passes without a result brings the end no nearer than that result would, and a long silence moves it away", () => {
  const pace = paceOf(play("baseline", { results: 20, ms: 1000, beside: 4 }));
  const at = (ms: number) => timeLeft({ forecast, passed: beginning, pace }, pace.at + ms) ?? 0;
  expect(at(200)).toBe(at(0) - 200);
  expect(at(1500)).toBe(at(0) - 250);
  expect(at(600_000)).toBe(600_000);
});

test("the time since the last result belongs to the result that ends it, and old times fade", () => {
  const clock = createPaceClock(0, 10);
  for (const result of play("baseline", { results: 50, ms: 1000 })) clock.add(result);
  for (const result of play("baseline", { results: 50, ms: 100, from: 50_000 })) clock.add(result);
  clock.add({ stage: "select", role: "optimizer", at: 60_000, ms: 9000 });
  const { lines } = clock.seen();
  const { gapMs = 0, counted = 1, done } = lines["baseline target"] ?? {};
  expect(done).toBe(100);
  expect(gapMs / counted).toBeLessThan(120);
  expect(lines["select optimizer"]).toEqual({ done: 1, counted: 1, gapMs: 5000, callMs: 9000 });
});
