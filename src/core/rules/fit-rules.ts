import { type Fit, type RuleModel, modelConstants } from "./rule-model.ts";
import { type Matrix, cholesky, inverseOf, solveLower } from "./symmetric.ts";

export interface ModelPlan {
  readonly tasks: number;
  /** Independent ones among the tasks: val is a sample of so many. */
  readonly units: number;
  readonly weights?: readonly number[] | undefined;
}

export function startModel({ tasks, units, weights }: ModelPlan): RuleModel {
  const given = weights ?? Array.from({ length: tasks }, () => 1);
  const sum = given.reduce((all, weight) => all + weight, 0);
  const even = given.map((weight) => (weight * tasks) / sum);
  // Kish: unequal weights are worth fewer tasks
  const share = tasks / even.reduce((all, weight) => all + weight ** 2, 0);
  const luck = modelConstants.tau ** 2 / (units * share);
  const none = new Float64Array();
  const found = {
    levels: new Float64Array(tasks),
    middle: 0,
    onVal: none,
    ownSd: modelConstants.ownSd,
    noise: 1,
  };
  return {
    weights: even,
    luck,
    columns: 0,
    texts: new Map(),
    fit: { ...found, ...believe(found, none, luck) },
  };
}

/** Goes on from the last fit. Newton's steps to the mode; tasks are eliminated by their Schur complement, as each has its own level only. */
export function fitRules(model: RuleModel): RuleModel {
  const { weights, luck, columns: size } = model;
  const { spread, meanSd, mean } = modelConstants;
  const tasks = weights.length;
  const texts = [...model.texts.values()].map(({ columns, tasks: scores }) => ({
    columns,
    rows: [...scores],
  }));
  const isGraded = texts.some(({ rows }) => rows.some(([, { sum, squares }]) => sum !== squares));
  const levels = model.fit.levels.slice();
  const onVal = new Float64Array(size).fill(model.fit.common);
  onVal.set(model.fit.onVal);
  let { middle, ownSd, noise } = model.fit;
  let lower: Matrix = new Float64Array();
  const hessian = new Float64Array(size * size);
  const cross = new Float64Array(size * tasks);
  const [gradient, taskHessian, taskGradient] = [
    new Float64Array(size),
    new Float64Array(tasks),
    new Float64Array(tasks),
  ];
  for (let round = 0; round < 10; round += 1) {
    const variance = ownSd ** 2 + luck;
    // the prior's precision of exchangeable rules: 1/variance on the diagonal, minus `shared` everywhere
    const shared = meanSd ** 2 / variance ** 2 / (1 + (size * meanSd ** 2) / variance);
    let away = 0;
    for (const value of onVal) away += value - mean;
    hessian.fill(-shared);
    for (let k = 0; k < size; k += 1) {
      hessian[k * size + k] = 1 / variance - shared;
      gradient[k] = shared * away - ((onVal[k] as number) - mean) / variance;
    }
    cross.fill(0);
    taskHessian.fill(1 / spread ** 2);
    for (let task = 0; task < tasks; task += 1)
      taskGradient[task] = (middle - (levels[task] as number)) / spread ** 2;
    let [squared, expected, results] = [0, 0, 0];
    for (const { columns, rows } of texts) {
      let worth = 0;
      for (const column of columns) worth += onVal[column] as number;
      let [errors, information] = [0, 0];
      for (const [task, { count, sum, squares }] of rows) {
        const chance = 1 / (1 + Math.exp(-((levels[task] as number) + worth)));
        const weight = (weights[task] as number) / noise;
        const flat = chance * (1 - chance);
        // kept off zero: no task is certain
        const curve = Math.max(flat, 0.02) * weight * count;
        const error = (sum - count * chance) * weight;
        squared += squares - 2 * chance * sum + count * chance ** 2;
        expected += count * flat;
        results += count;
        taskHessian[task] = (taskHessian[task] as number) + curve;
        taskGradient[task] = (taskGradient[task] as number) + error;
        errors += error;
        information += curve;
        for (const column of columns) {
          const at = column * tasks + task;
          cross[at] = (cross[at] as number) + curve;
        }
      }
      // columns are sorted: the lower triangle
      columns.forEach((column, at) => {
        gradient[column] = (gradient[column] as number) + errors;
        for (let other = 0; other <= at; other += 1) {
          const cell = column * size + (columns[other] as number);
          hessian[cell] = (hessian[cell] as number) + information;
        }
      });
    }
    if (isGraded) {
      // residuals are smaller than noise by the freedom that the fit took
      const left = Math.max(0.3, results / (results + tasks + size));
      noise = clamp((squared + 0.5) / (expected + 0.5) / left, 0.05, 1);
    }
    for (let task = 0; task < tasks; task += 1) {
      for (let k = 0; k < size; k += 1) {
        const own = cross[k * tasks + task] as number;
        if (own === 0) continue;
        const part = own / (taskHessian[task] as number);
        gradient[k] = (gradient[k] as number) - part * (taskGradient[task] as number);
        for (let q = 0; q <= k; q += 1) {
          const cell = k * size + q;
          hessian[cell] = (hessian[cell] as number) - part * (cross[q * tasks + task] as number);
        }
      }
    }
    lower = cholesky(hessian, size);
    const moves = solveLower(lower, gradient).map((move) => clamp(move, -1, 1));
    for (let task = 0; task < tasks; task += 1) {
      let rest = taskGradient[task] as number;
      for (let k = 0; k < size; k += 1) rest -= (cross[k * tasks + task] as number) * (moves[k] as number);
      levels[task] = (levels[task] as number) + clamp(rest / (taskHessian[task] as number), -1.5, 1.5);
    }
    middle = total(levels) / tasks;
    for (let k = 0; k < size; k += 1) onVal[k] = (onVal[k] as number) + (moves[k] as number);
    if (round >= 2) ownSd = learnSpread(onVal, lower, variance, luck);
    if (round >= 3 && moves.every((move) => Math.abs(move) < 2e-3)) break;
  }
  const found = { levels, middle, onVal, ownSd, noise };
  return { ...model, fit: { ...found, ...believe(found, lower, luck) } };
}

/** How much rules differ: one step of expectation-maximisation, with a prior worth `ownWeight` rules. */
function learnSpread(onVal: Float64Array, lower: Matrix, variance: number, luck: number): number {
  const { ownSd, ownWeight, ownLeast } = modelConstants;
  const size = onVal.length;
  const { mean } = commonWorth(onVal, variance);
  const inverse = inverseOf(lower, size);
  let sum = 0;
  for (let k = 0; k < size; k += 1)
    sum += ((onVal[k] as number) - mean) ** 2 + (inverse[k * size + k] as number);
  const learned = (ownWeight * (ownSd ** 2 + luck) + sum) / (ownWeight + size) - luck;
  return Math.sqrt(Math.max(learned, ownLeast ** 2));
}

/** What rules are worth on average, given all values on val. */
function commonWorth(onVal: Float64Array, variance: number) {
  const { mean, meanSd } = modelConstants;
  const doubt = 1 / (1 / meanSd ** 2 + onVal.length / variance);
  return { mean: doubt * (mean / meanSd ** 2 + total(onVal) / variance), variance: doubt };
}

/** From val to tasks like these: worth = (1 − share) · common + share · onVal, with what remains unknown of each. */
function believe({ onVal, ownSd }: Pick<Fit, "onVal" | "ownSd">, lower: Matrix, luck: number) {
  const size = onVal.length;
  const own = ownSd ** 2;
  const share = own / (own + luck);
  const common = commonWorth(onVal, own + luck);
  const inverse = inverseOf(lower, size);
  const rows = new Float64Array(size);
  for (let k = 0; k < size; k += 1) rows[k] = total(inverse.subarray(k * size, (k + 1) * size));
  const pull = ((1 - share) * common.variance) / (own + luck);
  const all = pull ** 2 * total(rows) + (1 - share) ** 2 * common.variance;
  const covariance = inverse.map((cell, at) => {
    const [row, column] = [Math.floor(at / size), at % size];
    const both = share * pull * ((rows[row] as number) + (rows[column] as number));
    return share ** 2 * cell + both + all + (row === column ? own * (1 - share) : 0);
  });
  return {
    common: common.mean,
    newSd: Math.sqrt(own + common.variance + pull ** 2 * total(rows)),
    worth: onVal.map((value) => (1 - share) * common.mean + share * value),
    covariance,
  };
}

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
