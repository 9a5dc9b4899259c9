import { expect, test } from "vitest";
import { smallRandom } from "../../../test/support/rules/rule-worlds.ts";
import { crossFit, trustConstants } from "./cross-fit.ts";
import { fitRules, startModel } from "./fit-rules.ts";
import { addColumns, addScores } from "./rule-model.ts";

/** 30 tasks, each tried often with random parts of eight rules that are worth this. */
function measured(worths: readonly number[], seed: number, rolls = 16) {
  const random = smallRandom(seed);
  const model = addColumns(
    startModel({ tasks: 30 }),
    worths.map(() => "failure"),
  );
  const results = Array.from({ length: 30 * rolls }, (_, at) => {
    const columns = [...worths.keys()].filter(() => random() < 0.5);
    const chance = 0.4 + columns.reduce((sum, column) => sum + (worths[column] as number), 0);
    return { task: at % 30, columns, score: Number(random() < chance) };
  });
  return fitRules(addScores(model, results), { rounds: 12 });
}

const seeds = Array.from({ length: 20 }, (_, at) => 31 * at + 1);
const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

test("results follow what other tasks predict where rules do something, and not where none does", () => {
  const real = seeds.map((seed) => crossFit(measured([0.15, 0.1, 0.1, 0, 0, 0, -0.1, -0.1], seed)));
  const idle = seeds.map((seed) => crossFit(measured([0, 0, 0, 0, 0, 0, 0, 0], seed)));
  expect(mean(real.map(({ slope }) => slope))).toBeGreaterThan(0.75);
  expect(mean(real.map(({ holds }) => holds))).toBeGreaterThan(0.97);
  expect(mean(idle.map(({ slope }) => slope))).toBeLessThan(0.6);
  expect(mean(idle.map(({ holds }) => holds))).toBeLessThan(0.85);
});

test("without results, or with one task, only what is known before counts", () => {
  const start = addColumns(startModel({ tasks: 5 }), ["failure"]);
  expect(crossFit(start).slope).toBeCloseTo(trustConstants.slope, 9);
  const one = addScores(addColumns(startModel({ tasks: 1 }), ["failure"]), [
    { task: 0, columns: [0], score: 1 },
    { task: 0, columns: [], score: 0 },
  ]);
  expect(crossFit(fitRules(one)).slope).toBeCloseTo(trustConstants.slope, 9);
});
