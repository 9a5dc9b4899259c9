import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { fitRules, startModel } from "./fit-rules.ts";
import { type WorthModel, addColumns, addScores, beliefAbout, modelConstants } from "./rule-model.ts";

test("the fit ends where the posterior is flat", () => {
  // no task comes twice: repeats would count less
  let model = addScores(addColumns(startModel({ tasks: 120, units: 120 }), 3), draws(120, 120));
  for (let round = 0; round < 5; round += 1) model = fitRules(model);
  const { onVal } = model.fit;
  const moved = (column: number, by: number) =>
    logPosterior(
      model,
      onVal.map((value, at) => (at === column ? value + by : value)),
    );
  for (const column of [0, 1, 2]) {
    expect(Math.abs((moved(column, 1e-4) - moved(column, -1e-4)) / 2e-4)).toBeLessThan(0.05);
  }
});

test("a cold fit of all results and fits step by step end at the same place", () => {
  const results = draws(200);
  let [cold, steps] = [0, 1].map(() => addColumns(startModel({ tasks: 6, units: 6 }), 3)) as [
    WorthModel,
    WorthModel,
  ];
  cold = addScores(cold, results);
  for (let round = 0; round < 10; round += 1) cold = fitRules(cold);
  for (let at = 0; at < 200; at += 20) steps = fitRules(addScores(steps, results.slice(at, at + 20)));
  for (const column of [0, 1, 2])
    expect(beliefAbout(steps, [column]).helps).toBeCloseTo(beliefAbout(cold, [column]).helps, 1);
});

test("nothing is known before the first result, and a rule without results is like any new one", () => {
  const model = addColumns(startModel({ tasks: 10, units: 10 }), 1);
  const { mean, meanSd, scales } = modelConstants;
  expect(beliefAbout(model, [0]).mean).toBeCloseTo(mean);
  const fitted = fitRules(model);
  expect(beliefAbout(fitted, [0]).mean).toBeCloseTo(mean);
  expect(beliefAbout(fitted, [0]).sd).toBeCloseTo(Math.hypot(scales[0].ownSd, meanSd), 1);
});

test("fewer units and unequal weights leave more doubt", () => {
  const doubt = (plan: Parameters<typeof startModel>[0]) =>
    beliefAbout(fitRules(addScores(addColumns(startModel(plan), 3), draws(300, 6, 0.55))), [0]).sd;
  expect(doubt({ tasks: 6, units: 2 })).toBeGreaterThan(doubt({ tasks: 6, units: 6 }));
  expect(doubt({ tasks: 6, units: 6, weights: [9, 1, 1, 1, 1, 1] })).toBeGreaterThan(
    doubt({ tasks: 6, units: 6 }),
  );
  expect(doubt({ tasks: 6, units: 6, weights: [3, 3, 3, 3, 3, 3] })).toBe(doubt({ tasks: 6, units: 6 }));
});

test("repeats of a noisy target are more evidence, those of a steady one are not", () => {
  const results = draws(60);
  const doubt = (times: number, isSteady: boolean) => {
    const random = seededRandom("repeats", 1);
    const repeated = results.flatMap((one) =>
      Array.from({ length: times }, () => (isSteady ? one : { ...one, score: Number(random() < 0.5) })),
    );
    return beliefAbout(fitRules(addScores(addColumns(startModel({ tasks: 6, units: 6 }), 3), repeated)), [0])
      .sd;
  };
  expect(doubt(8, false) / doubt(1, false)).toBeLessThan(0.8);
  expect(doubt(8, true) / doubt(1, true)).toBeGreaterThan(0.9);
});

/** Three rules, of which the first helps. */
function draws(count: number, tasks = 6, chance = 0.75) {
  const random = seededRandom("fit", 3);
  return Array.from({ length: count }, (_, at) => {
    const columns = [0, 1, 2].filter(() => random() < 0.5);
    return { task: at % tasks, columns, score: Number(random() < (columns.includes(0) ? chance : 0.5)) };
  });
}

/** Of the values on val, straight from the model's definition. */
function logPosterior({ fit, luck }: WorthModel, onVal: Float64Array): number {
  const { mean, meanSd } = modelConstants;
  const variance = fit.ownSd ** 2 + luck;
  const away = [...onVal].map((value) => value - mean);
  const sum = away.reduce((all, one) => all + one, 0);
  const shared = meanSd ** 2 / variance ** 2 / (1 + (away.length * meanSd ** 2) / variance);
  let log = -away.reduce((all, one) => all + one * one, 0) / 2 / variance + (shared * sum * sum) / 2;
  for (const { task, columns, score } of draws(120, 120)) {
    const expected = columns.reduce((all, column) => all + (onVal[column] ?? 0), fit.levels[task] ?? 0);
    log -= (score - expected) ** 2 / 2 / fit.noise;
  }
  return log;
}
