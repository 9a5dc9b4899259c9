import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { fitRules, startModel } from "./fit-rules.ts";
import { type Part, kindConstants, worthOfParts } from "./kinds.ts";
import {
  type Fit,
  type WorthModel,
  addColumns,
  addScores,
  beliefAbout,
  modelConstants,
} from "./rule-model.ts";

const worthIn = (fit: Fit, column: number) => worthOfParts(fit.parts[column] as readonly Part[]);
import { cholesky, inverseOf } from "./symmetric.ts";
import { gatherBlocks, makeBlocks } from "./unit-blocks.ts";

test("what is believed of few rules is what all their kinds, one by one, come to", () => {
  let model = addScores(addColumns(startModel({ tasks: 12 }), ["", "", ""]), draws(60, 12));
  for (let round = 0; round < 10; round += 1) model = fitRules(model);
  const { noise, tau } = model.fit;
  // from here on with what was learned about the run, which the last fit has moved a little
  const last = fitRules(model, { rounds: 12 });
  const { precision, shift } = sumsOf(makeBlocks(model), 4);
  const exact = enumerate(precision, shift, last.fit);
  expect(last.fit.noise).toBeCloseTo(noise, 2);
  expect(last.fit.tau).toBeCloseTo(tau, 2);
  for (const column of [0, 1, 2]) {
    const { mean, sd } = worthIn(last.fit, column);
    expect(mean).toBeCloseTo(exact.means[column] as number, 2);
    expect(sd / Math.sqrt(exact.variances[column] as number)).toBeCloseTo(1, 0);
  }
});

test("how much a rule's effect differs from task to task is learned", () => {
  const random = seededRandom("tau", 5);
  const learn = (effect: (task: number) => number) => {
    let model = addColumns(startModel({ tasks: 40 }), ["", ""]);
    for (let pass = 0; pass < 16; pass += 1) {
      const results = Array.from({ length: 40 }, (_, task) => {
        const columns = [0, 1].filter(() => random() < 0.5);
        const score = Number(random() < 0.5 + (columns.includes(0) ? effect(task) : 0));
        return { task, columns, score };
      });
      model = fitRules(addScores(model, results));
    }
    return model.fit;
  };
  const [even, uneven] = [learn(() => 0.15), learn((task) => (task % 2 === 0 ? 0.45 : -0.15))];
  expect(even.tau).toBeLessThan(0.1);
  expect(uneven.tau).toBeGreaterThan(0.2);
  // and where tasks disagree, as many results say less
  expect(worthIn(uneven, 0).sd).toBeGreaterThan(1.1 * worthIn(even, 0).sd);
});

test("what rules of a source are worth is learned by source", () => {
  const random = seededRandom("source", 5);
  const sources = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? "good" : "idle"));
  let model = addColumns(startModel({ tasks: 30 }), sources);
  for (let pass = 0; pass < 30; pass += 1) {
    const results = Array.from({ length: 30 }, (_, task) => {
      const columns = sources.flatMap((_one, at) => (random() < 0.5 ? [at] : []));
      const helping = columns.filter((at) => at % 2 === 0).length;
      return { task, columns, score: Number(random() < 0.3 + 0.1 * helping) };
    });
    model = fitRules(addScores(model, results));
  }
  const fresh = addColumns(model, ["good", "idle"]);
  expect(beliefAbout(fresh, [12]).mean).toBeGreaterThan(beliefAbout(fresh, [13]).mean + 0.01);
});

test("a cold fit of all results and fits step by step end at the same place", () => {
  const results = draws(200);
  let [cold, steps] = [0, 1].map(() => addColumns(startModel({ tasks: 6 }), ["", "", ""])) as [
    WorthModel,
    WorthModel,
  ];
  cold = addScores(cold, results);
  for (let round = 0; round < 10; round += 1) cold = fitRules(cold);
  for (let at = 0; at < 200; at += 20) steps = fitRules(addScores(steps, results.slice(at, at + 20)));
  for (const column of [0, 1, 2])
    expect(beliefAbout(steps, [column]).gains).toBeCloseTo(beliefAbout(cold, [column]).gains, 1);
});

test("nothing is known before the first result, and a rule without results is like any new one", () => {
  const model = addColumns(startModel({ tasks: 10 }), [""]);
  const { little, shares } = kindConstants;
  const expected = shares[1] * little.mean;
  expect(beliefAbout(model, [0]).mean).toBeCloseTo(expected);
  const { mean, sd, low, high } = worthIn(fitRules(model).fit, 0);
  expect(mean).toBeCloseTo(expected, 3);
  expect(sd).toBeCloseTo(beliefAbout(model, [0]).sd, 2);
  expect([low < 0, high > 0]).toEqual([true, true]);
});

test("fewer units and unequal weights leave more doubt", () => {
  const doubt = (plan: Parameters<typeof startModel>[0]) =>
    beliefAbout(fitRules(addScores(addColumns(startModel(plan), ["", "", ""]), draws(300, 6, 0.55))), [0]).sd;
  expect(doubt({ tasks: 6, units: [0, 0, 0, 1, 1, 1] })).toBeGreaterThan(doubt({ tasks: 6 }));
  expect(doubt({ tasks: 6, weights: [9, 1, 1, 1, 1, 1] })).toBeGreaterThan(doubt({ tasks: 6 }));
  expect(doubt({ tasks: 6, weights: [3, 3, 3, 3, 3, 3] })).toBe(doubt({ tasks: 6 }));
});

test("repeats of a noisy target are more evidence, those of a steady one are not", () => {
  const results = draws(60);
  const doubt = (times: number, isSteady: boolean) => {
    const random = seededRandom("repeats", 1);
    const repeated = results.flatMap((one) =>
      Array.from({ length: times }, () => (isSteady ? one : { ...one, score: Number(random() < 0.5) })),
    );
    return beliefAbout(fitRules(addScores(addColumns(startModel({ tasks: 6 }), ["", "", ""]), repeated)), [0])
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

function sumsOf(blocks: ReturnType<typeof makeBlocks>, size: number) {
  const { precision, shift } = gatherBlocks(blocks, size);
  const { middle, middleSd } = modelConstants;
  precision[size * size - 1] = (precision[size * size - 1] as number) + 1 / middleSd ** 2;
  shift[size - 1] = (shift[size - 1] as number) + middle / middleSd ** 2;
  return { precision, shift };
}

/** Every way in which three rules can be of three kinds, each an exact bell curve. */
function enumerate(precision: Float64Array, shift: Float64Array, { kinds, shares }: Fit) {
  const own = shares.get("") ?? kindConstants.shares;
  const ways = Array.from({ length: 27 }, (_, way) => [
    way % 3,
    Math.floor(way / 3) % 3,
    Math.floor(way / 9),
  ]);
  const found = ways.map((way) => {
    const [all, right] = [precision.slice(), shift.slice()];
    let log = 0;
    way.forEach((kind, column) => {
      const { mean, variance } = kinds[kind] as { mean: number; variance: number };
      all[column * 4 + column] = (all[column * 4 + column] as number) + 1 / variance;
      right[column] = (right[column] as number) + mean / variance;
      log += Math.log(own[kind] as number) - mean ** 2 / variance / 2 - Math.log(variance) / 2;
    });
    const lower = cholesky(all, 4);
    const covariance = inverseOf(lower, 4);
    const means = right.map((_one, row) => {
      let sum = 0;
      for (let column = 0; column < 4; column += 1)
        sum += (covariance[row * 4 + column] as number) * (right[column] as number);
      return sum;
    });
    for (let row = 0; row < 4; row += 1)
      log += ((means[row] as number) * (right[row] as number)) / 2 - Math.log(lower[row * 5] as number);
    return { log, means, covariance };
  });
  const top = Math.max(...found.map(({ log }) => log));
  const chances = found.map(({ log }) => Math.exp(log - top));
  const total = chances.reduce((sum, one) => sum + one, 0);
  const average = (value: (at: number) => number) =>
    chances.reduce((sum, chance, at) => sum + (chance / total) * value(at), 0);
  const means = [0, 1, 2].map((column) => average((at) => found[at]?.means[column] as number));
  const variances = [0, 1, 2].map((column) =>
    average((at) => {
      const { means: own = [], covariance } = found[at] ?? {};
      return (
        (covariance?.[column * 5] as number) + ((own[column] as number) - (means[column] as number)) ** 2
      );
    }),
  );
  return { means, variances };
}
