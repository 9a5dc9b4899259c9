import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { claimInterval } from "./claim-interval.ts";
import { type ClaimPair, type Trial, swapArms } from "./claim-pair.ts";
import { claimVerdict } from "./claim-verdict.ts";
import { drawClaim } from "./power.ts";
import { oddsShift, taskModel } from "./task-model.ts";

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const pair = (incumbent: Trial, candidate: Trial, trials = 3): ClaimPair => ({
  incumbent: times(trials, incumbent),
  candidate: times(trials, candidate),
});
const judge = (pairs: readonly ClaimPair[]) => claimVerdict(pairs, { alpha: 0.05 });

test("better, with its p, interval and counts by task", () => {
  const verdict = judge([...times(10, pair(0, 1)), ...times(5, pair(1, 1)), pair(1, 0)]);
  expect(verdict).toMatchObject({ verdict: "better", test: "sign-flip", scope: "tasks like these" });
  expect(verdict).toMatchObject({ wins: 10, losses: 1, ties: 5, rollouts: 96, missing: 0 });
  expect(verdict.p).toBeCloseTo(12 / 2 ** 11, 12);
  expect(verdict.difference).toBeCloseTo(9 / 16, 12);
  expect(verdict.interval.level).toBe(0.95);
  expect(verdict.interval.low).toBeGreaterThan(0);
});

test("worse is the same the other way round", () => {
  const verdict = judge([...times(10, pair(1, 0)), ...times(5, pair(1, 1)), pair(0, 1)]);
  expect(verdict.verdict).toBe("worse");
  expect(verdict.pWorse).toBeCloseTo(12 / 2 ** 11, 12);
});

test("no difference takes a bound over tasks; a narrow interval alone speaks of these tasks", () => {
  expect(judge(times(60, pair(1, 1))).verdict).toBe("no-difference");
  expect(judge(times(30, pair(1, 1)))).toMatchObject({ verdict: "even", test: "sign-flip" });
  expect(judge(times(14, pair(1, 1, 1))).verdict).toBe("not-proven");
  expect(judge(times(4, pair(1, 1, 1))).verdict).toBe("not-proven");
});

test.each([
  [20, 3, 0.12],
  [60, 1, 0.1],
  [60, 3, 0.1],
])("a gain on few tasks is never called no difference: %d tasks × %d, +%d", (tasks, trials, share) => {
  const random = seededRandom("few tasks", tasks, trials);
  for (let draw = 0; draw < 60; draw += 1) {
    const gains = times(tasks, 0).map(() => random() < share);
    const pairs = gains.map((isHelped) => {
      const rate = isHelped ? 0 : random() < 0.6 ? 0.95 : 0.05;
      const arm = (chance: number) => times(trials, 0).map(() => (random() < chance ? 1 : 0));
      return { incumbent: arm(rate), candidate: arm(isHelped ? 1 : rate) };
    });
    const { verdict } = claimVerdict(pairs, { alpha: 0.027 });
    expect(verdict).not.toBe("no-difference");
    if (verdict === "even") expect(gains.filter(Boolean).length / tasks).toBeLessThan(0.1);
  }
});

test("a handful of tasks speaks for itself only, in words of its own", () => {
  const noisy = { incumbent: [0, 0, 1], candidate: [1, 1, 1] };
  expect(judge(times(5, noisy))).toMatchObject({
    verdict: "higher",
    test: "within-task",
    scope: "these tasks",
  });
  expect(judge(swapArms(times(5, noisy))).verdict).toBe("lower");
  const steady = claimVerdict(times(4, pair(0, 1)), { alpha: 0.05, steady: true });
  expect(steady).toMatchObject({ verdict: "not-proven", test: "sign-flip" });
});

test("from six tasks on the test over tasks comes first", () => {
  expect(judge(times(6, pair(0, 1)))).toMatchObject({ verdict: "better", test: "sign-flip" });
  const mixed = [...times(7, { incumbent: [0, 0, 0], candidate: [1, 1, 1] }), ...times(3, pair(1, 0))];
  expect(judge(mixed).verdict).toBe("higher");
});

test("tasks of one group are one unit", () => {
  const grouped = times(20, pair(0, 1)).map((one, at) => ({ ...one, unit: at % 4 }));
  const claim = claimVerdict(grouped, { alpha: 0.05, steady: true });
  expect(claim).toMatchObject({ verdict: "not-proven", units: 4, tasks: 20 });
  expect(claim.p).toBeCloseTo(1 / 16, 12);
});

test("a heavy task that got worse is not outvoted by light ones", () => {
  const light = times(12, { ...pair(0, 1), weight: 1 });
  expect(judge([...light, { ...pair(1, 0), weight: 1 }]).verdict).toBe("better");
  const heavy = judge([...light, { ...pair(1, 0), weight: 30 }]);
  expect(heavy.verdict).toBe("not-proven");
  expect(heavy.difference).toBeCloseTo((12 - 30) / 42, 12);
});

test("weights far apart are counted, and none is lost", () => {
  const light = times(20, { ...pair(0, 1), weight: 1 });
  const apart = judge([...light, { ...pair(1, 0), weight: 5000 }]);
  expect(apart).toMatchObject({ verdict: "not-proven", weighted: true });
  expect(apart.difference).toBeLessThan(-0.9);
  expect(judge([...light, { ...pair(0, 1), weight: 5000 }]).verdict).toBe("better");
});

test("an interval at the level of the test leaves zero out exactly when the verdict does, and the shown one has one level", () => {
  const random = seededRandom("interval side");
  const model = taskModel({ baseline: 0.6, flipRate: 0.2 });
  const shift = oddsShift(model, 0.15);
  for (let draw = 0; draw < 150; draw += 1) {
    const [tasks, trials] = [4 + (draw % 20), 1 + (draw % 4)];
    const pairs = drawClaim({ model, shift, tasks, trials, random });
    const claim = judge(pairs);
    expect(claim.interval.level).toBe(0.95);
    const { low, high } = claimInterval(pairs, 1 - 2 * claim.alpha, claim.test);
    const side = low > 0 ? "up" : high < 0 ? "down" : "none";
    const sides: Partial<Record<string, string>> = {
      better: "up",
      higher: "up",
      worse: "down",
      lower: "down",
    };
    const said = sides[claim.verdict] ?? "none";
    expect({ tasks, trials, side }).toEqual({ tasks, trials, side: said });
  }
});

test("differences are tested on the grid and reported as they are", () => {
  const claim = judge(times(20, pair(0.524, 0.526, 1)));
  expect(claim.difference).toBeCloseTo(0.002, 12);
});

test("missing results leave it undecided only while they could change it", () => {
  const known = times(12, pair(0, 1));
  expect(judge([...known, pair(0, null)]).verdict).toBe("better");
  const open = judge([...known, ...times(9, pair(1, null))]);
  expect(open).toMatchObject({ verdict: "undecided", missing: 27, wins: 12, ties: 0 });
  expect(open.p).toBeGreaterThan(0.05);
});

test("a task that was left out never makes a claim easier than any result of it would have", () => {
  const trial = fc.constantFrom(0, 0.5, 1);
  const pair = fc.record({ incumbent: fc.tuple(trial, trial), candidate: fc.tuple(trial, trial) });
  fc.assert(
    fc.property(
      fc.array(pair, { minLength: 3, maxLength: 14 }),
      fc.array(pair, { minLength: 1, maxLength: 2 }),
      (answered, dead) => {
        const out = dead.map(() => ({ incumbent: [null, null], candidate: [null, null], leftOut: true }));
        const found = claimVerdict([...answered, ...out], { alpha: 0.05 });
        const told = claimVerdict([...answered, ...dead], { alpha: 0.05 });
        expect(found).toMatchObject({ leftOut: dead.length, missing: 0 });
        expect(found.verdict).not.toBe("undecided");
        if (found.test === told.test) {
          expect(found.p).toBeGreaterThanOrEqual(told.p - 1e-12);
          expect(found.pWorse).toBeGreaterThanOrEqual(told.pWorse - 1e-12);
        }
        if (found.verdict === "better" || found.verdict === "worse") expect(told.verdict).toBe(found.verdict);
        expect(found.wins + found.losses + found.ties + dead.length).toBe(found.tasks);
      },
    ),
    { numRuns: 20 },
  );
});
