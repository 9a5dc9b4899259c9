import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { extraTrialTasks } from "./extra-trials.ts";

const score = fc.constantFrom(0, 0.1, 0.25, 0.7, 1);
const arm = fc.array(score, { minLength: 3, maxLength: 3 });

test("the rule does not see which arm is which", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ incumbent: arm, candidate: arm, swap: fc.boolean() }), { maxLength: 20 }),
      fc.nat(8),
      (rows, tasks) => {
        const swapped = rows.map(({ incumbent, candidate, swap }) =>
          swap ? { incumbent: candidate, candidate: incumbent } : { incumbent, candidate },
        );
        const choose = (pairs: typeof swapped) =>
          extraTrialTasks({ pairs, tasks, random: seededRandom("extra") });
        expect(choose(swapped)).toEqual(choose(rows));
      },
    ),
  );
});

test("the least settled tasks get them, and exactly as many as planned", () => {
  const pairs = [
    { incumbent: [1, 1], candidate: [1, 1] },
    { incumbent: [1, 0], candidate: [0, 1] },
    { incumbent: [0, 0], candidate: [0, 1] },
  ];
  expect(extraTrialTasks({ pairs, tasks: 2, random: seededRandom("extra") })).toEqual([1, 2]);
  expect(extraTrialTasks({ pairs, tasks: 3, random: seededRandom("extra") })).toHaveLength(3);
});
