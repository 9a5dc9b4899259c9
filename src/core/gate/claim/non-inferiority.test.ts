import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import type { FinishedPair } from "./claim-pair.ts";
import {
  type LossScope,
  couldBeShown,
  isHopeless,
  lossBound,
  lossLimits,
  planLooks,
  planNonInferiority,
  tasksForNonInferiority,
  testNonInferiority,
} from "./non-inferiority.ts";

const size = { margin: 0.05, alpha: 0.05, most: 20 };

test("with no difference at all it takes ln(1/α) / ln(1 + margin) trials", () => {
  const equal = (tasks: number): FinishedPair[] =>
    Array.from({ length: tasks }, () => ({ incumbent: [1], candidate: [1] }));
  const bold = { margin: 0.05, alpha: 0.05, stake: 1, scope: "these tasks" } as const;
  expect(testNonInferiority(equal(61), bold).shown).toBe(false);
  expect(testNonInferiority(equal(62), bold)).toMatchObject({ shown: true });
  expect(lossLimits({ ...size, tasks: 3 })).toEqual({ possible: false, tasksNeeded: 4 });
  expect(lossLimits({ ...size, tasks: 4 }).possible).toBe(true);
});

test("a test that loses again and again is hopeless, one without a loss is not", () => {
  const plan = planLooks({ tasks: 40, margin: 0.05, alpha: 0.05, flipRate: 0.2, most: 20 });
  const pairs = (lost: number) =>
    Array.from({ length: 40 }, (_, task) => ({ incumbent: [1], candidate: [task < lost ? 0 : 1] }));
  expect(isHopeless(pairs(0), plan)).toBe(false);
  expect(isHopeless(pairs(4), plan)).toBe(false);
  expect(isHopeless(pairs(30), plan)).toBe(true);
  expect(plan.power).toBeGreaterThan(0.7);
});

test("a missing trial counts as lost", () => {
  const test = { margin: 0.05, alpha: 0.05, stake: 0.3, scope: "these tasks" } as const;
  const lost = testNonInferiority([{ incumbent: [1, 1], candidate: [1, 0] }], test);
  expect(testNonInferiority([{ incumbent: [1, 1], candidate: [1, null] }], test)).toEqual(lost);
});

const trial = fc.integer({ min: 0, max: 20 }).map((steps) => steps / 20);
const pair = fc.record({
  incumbent: fc.array(trial, { minLength: 2, maxLength: 2 }),
  candidate: fc.array(trial, { minLength: 2, maxLength: 2 }),
});

test("p never rises when a trial of the candidate rises, in either scope", () => {
  fc.assert(
    fc.property(
      fc.array(pair, { minLength: 1, maxLength: 20 }),
      fc.nat(),
      fc.constantFrom<LossScope>("these tasks", "tasks like these"),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (pairs, at, scope, stake) => {
        const test = { margin: 0.05, alpha: 0.05, stake, scope };
        const better = pairs.map((one, task) =>
          task === at % pairs.length ? { ...one, candidate: [1, one.candidate[1] ?? 0] } : one,
        );
        const [before, after] = [testNonInferiority(pairs, test), testNonInferiority(better, test)];
        expect(after.p).toBeLessThanOrEqual(before.p + 1e-12);
        const low = lossBound(pairs, test);
        expect(lossBound(better, test)).toBeGreaterThanOrEqual(low - 1e-9);
        expect(before.shown).toBe(low >= -0.05);
      },
    ),
  );
});

test("what looked out of reach stays out of reach when nothing more is lost", () => {
  const plan = { margin: 0.05, alpha: 0.05, stake: 0.3, scope: "these tasks" } as const;
  const pairs = Array.from({ length: 10 }, () => ({ incumbent: [1], candidate: [0] }));
  expect(couldBeShown(pairs, plan, 19)).toBe(false);
  expect(couldBeShown(pairs, plan, 200)).toBe(true);
});

/** How often a candidate with these chances of a pass is shown to be good enough, looking after every trial. */
function rateShown(chances: readonly (readonly [number, number])[], flipRate: number, runs: number): number {
  const plan = planNonInferiority({ ...size, tasks: chances.length, flipRate }, "these tasks");
  const random = seededRandom("non-inferiority", chances.length, flipRate);
  let shown = 0;
  for (let run = 0; run < runs; run += 1) {
    let pairs: FinishedPair[] = chances.map(() => ({ incumbent: [], candidate: [] }));
    for (let trial = 0; trial < plan.trials; trial += 1) {
      pairs = pairs.map(({ incumbent, candidate }, task) => {
        const [before = 0, after = 0] = chances[task] ?? [];
        return {
          incumbent: [...incumbent, random() < before ? 1 : 0],
          candidate: [...candidate, random() < after ? 1 : 0],
        };
      });
      if (testNonInferiority(pairs, plan).shown) {
        shown += 1;
        break;
      }
    }
  }
  return shown / runs;
}

const pass = 0.8873;
const same = [pass, pass] as const;

test("a loss of the margin is called none in at most 5% of cases, wherever it lies, and however often one looks", () => {
  const spread = Array.from({ length: 60 }, () => [pass, pass - 0.05] as const);
  expect(rateShown(spread, 0.2, 400)).toBeLessThanOrEqual(0.05);
  const inFew = Array.from({ length: 60 }, (_, task) => (task < 3 ? ([1, 0] as const) : same));
  expect(rateShown(inFew, 0.2, 400)).toBeLessThanOrEqual(0.05);
  const steady = Array.from({ length: 60 }, (_, task) => (task < 3 ? ([1, 0] as const) : ([1, 1] as const)));
  expect(rateShown(steady, 0, 400)).toBeLessThanOrEqual(0.05);
});

test("over tasks like these, tasks that were not seen count", () => {
  const plan = planNonInferiority({ ...size, tasks: 100, flipRate: 0 }, "tasks like these");
  const random = seededRandom("unseen tasks");
  let shown = 0;
  for (let run = 0; run < 2000; run += 1) {
    const pairs = Array.from({ length: 100 }, () =>
      random() < 0.05 ? { incumbent: [1], candidate: [0] } : { incumbent: [1], candidate: [1] },
    );
    if (testNonInferiority(pairs, plan).shown) shown += 1;
  }
  expect(shown / 2000).toBeLessThanOrEqual(0.05);
});

test("the planned trials give the planned power, and more noise needs more of them", () => {
  const plan = planNonInferiority({ ...size, tasks: 96, flipRate: 0.2 }, "these tasks");
  expect(plan.trials).toBeGreaterThan(8);
  expect(plan.trials).toBeLessThan(16);
  expect(
    rateShown(
      Array.from({ length: 96 }, () => same),
      0.2,
      200,
    ),
  ).toBeGreaterThan(0.85);
  expect(planNonInferiority({ ...size, tasks: 96, flipRate: 0.1 }, "these tasks").trials).toBeLessThan(
    plan.trials,
  );
});

test("tasks that would do are told where trials would not", () => {
  const small = { ...size, tasks: 10, flipRate: 0.3 };
  const tasks = tasksForNonInferiority(small, "these tasks");
  expect(planNonInferiority({ ...small, tasks }, "these tasks").power).toBeGreaterThanOrEqual(0.9);
  expect(planNonInferiority({ ...small, tasks: tasks - 1 }, "these tasks").power).toBeLessThan(0.9);
});
