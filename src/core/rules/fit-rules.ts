import { type Fit, type RuleModel, type TextResults, clamp, modelConstants } from "./rule-model.ts";
import { type Matrix, cholesky, inverseDiagonal, inverseOf, solveLower } from "./symmetric.ts";

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
    flicker: 1,
  };
  return {
    weights: even,
    luck,
    columns: 0,
    texts: new Map(),
    fit: { ...found, ...believe(found, none, luck) },
  };
}

/** Goes on from the last fit: Newton's steps to the mode. */
export function fitRules(model: RuleModel): RuleModel {
  const { luck, columns: size } = model;
  const texts = [...model.texts.values()];
  const isGraded = texts.some(({ sums, squares }) => sums.some((sum, at) => sum !== squares[at]));
  const at: Place = { ...model.fit, levels: model.fit.levels.slice(), onVal: new Float64Array(size) };
  at.onVal.fill(model.fit.common).set(model.fit.onVal);
  const equations = emptyEquations(size, model.weights.length);
  let lower: Matrix = new Float64Array();
  for (let round = 0; round < 10; round += 1) {
    const variance = at.ownSd ** 2 + luck;
    setPriors(equations, at, variance);
    const seen = addTexts(equations, at, texts, model.weights);
    if (isGraded) {
      // residuals are smaller than noise by the freedom that the fit took
      const left = Math.max(0.3, seen.results / (seen.results + model.weights.length + size));
      at.noise = clamp((seen.squared + 0.5) / (seen.expected + 0.5) / left, 0.05, 1);
    }
    const { flickerWeight } = modelConstants;
    const flicker = (seen.repeatSquared + flickerWeight * at.noise) / (seen.repeatExpected + flickerWeight);
    at.flicker = Math.min(flicker, at.noise);
    lower = eliminateTasks(equations);
    const most = move(at, equations, lower);
    at.ownSd = learnSpread(at.onVal, lower, variance, luck);
    // Newton's error is about the square of its last step
    if (round > 0 && most < 0.01) break;
  }
  const { levels, middle, onVal, ownSd, noise, flicker } = at;
  return { ...model, fit: { levels, middle, onVal, ownSd, noise, flicker, ...believe(at, lower, luck) } };
}

/** Where the fit stands. */
type Place = { -readonly [Key in "levels" | "middle" | "onVal" | "ownSd" | "noise" | "flicker"]: Fit[Key] };

/** Second and first derivatives of the log posterior, negative and positive: of rules, of tasks, and across. */
interface Equations {
  readonly hessian: Matrix;
  readonly gradient: Float64Array;
  readonly taskHessian: Float64Array;
  readonly taskGradient: Float64Array;
  /** Task by task. */
  readonly cross: Float64Array;
}

const emptyEquations = (size: number, tasks: number): Equations => ({
  hessian: new Float64Array(size * size),
  gradient: new Float64Array(size),
  taskHessian: new Float64Array(tasks),
  taskGradient: new Float64Array(tasks),
  cross: new Float64Array(size * tasks),
});

function setPriors(
  { hessian, gradient, taskHessian, taskGradient, cross }: Equations,
  at: Place,
  variance: number,
) {
  const { spread, meanSd, mean } = modelConstants;
  const { onVal, levels, middle } = at;
  const size = onVal.length;
  // the precision of exchangeable rules: 1/variance on the diagonal, minus `shared` everywhere
  const shared = meanSd ** 2 / variance ** 2 / (1 + (size * meanSd ** 2) / variance);
  const away = total(onVal) - size * mean;
  hessian.fill(-shared);
  for (let k = 0; k < size; k += 1) {
    hessian[k * size + k] = 1 / variance - shared;
    gradient[k] = shared * away - ((onVal[k] as number) - mean) / variance;
  }
  cross.fill(0);
  taskHessian.fill(1 / spread ** 2);
  for (let task = 0; task < levels.length; task += 1)
    taskGradient[task] = (middle - (levels[task] as number)) / spread ** 2;
}

/** Adds what the results say, text by text, and gives how far they are from what was expected. */
function addTexts(
  { hessian, gradient, taskHessian, taskGradient, cross }: Equations,
  { levels, onVal, noise, flicker }: Place,
  texts: readonly TextResults[],
  weights: readonly number[],
) {
  const size = onVal.length;
  let [squared, expected, results, repeatSquared, repeatExpected] = [0, 0, 0, 0, 0];
  for (const { columns, tasks, counts, sums, squares } of texts) {
    let worth = 0;
    for (let k = 0; k < columns.length; k += 1) worth += onVal[columns[k] as number] as number;
    let [errors, information] = [0, 0];
    for (let row = 0; row < tasks.length; row += 1) {
      const task = tasks[row] as number;
      const [count, sum] = [counts[row] as number, sums[row] as number];
      const chance = 1 / (1 + Math.exp(-((levels[task] as number) + worth)));
      // repeats of a steady target add nothing: only flicker averages out
      const weight = (weights[task] as number) / (noise - flicker + flicker / count) / count;
      const flat = chance * (1 - chance);
      // kept off zero: no task is certain
      const curve = Math.max(flat, 0.02) * weight * count;
      const error = (sum - count * chance) * weight;
      squared += (squares[row] as number) - 2 * chance * sum + count * chance ** 2;
      expected += count * flat;
      results += count;
      repeatSquared += (squares[row] as number) - sum ** 2 / count;
      repeatExpected += (count - 1) * flat;
      taskHessian[task] = (taskHessian[task] as number) + curve;
      taskGradient[task] = (taskGradient[task] as number) + error;
      errors += error;
      information += curve;
      for (let k = 0; k < columns.length; k += 1) {
        const cell = task * size + (columns[k] as number);
        cross[cell] = (cross[cell] as number) + curve;
      }
    }
    // columns are sorted: the lower triangle
    for (let k = 0; k < columns.length; k += 1) {
      const column = columns[k] as number;
      gradient[column] = (gradient[column] as number) + errors;
      for (let other = 0; other <= k; other += 1) {
        const cell = column * size + (columns[other] as number);
        hessian[cell] = (hessian[cell] as number) + information;
      }
    }
  }
  return { squared, expected, results, repeatSquared, repeatExpected };
}

/** Leaves the rules' equations alone, by the Schur complement: each task has its own level only. Gives their Cholesky factor. */
function eliminateTasks({ hessian, gradient, taskHessian, taskGradient, cross }: Equations): Matrix {
  const size = gradient.length;
  for (let task = 0; task < taskHessian.length; task += 1) {
    const start = task * size;
    for (let k = 0; k < size; k += 1) {
      const own = cross[start + k] as number;
      if (own === 0) continue;
      const part = own / (taskHessian[task] as number);
      gradient[k] = (gradient[k] as number) - part * (taskGradient[task] as number);
      const row = k * size;
      for (let q = 0; q <= k; q += 1) {
        hessian[row + q] = (hessian[row + q] as number) - part * (cross[start + q] as number);
      }
    }
  }
  return cholesky(hessian, size);
}

/** One step, not too long; gives the longest move of a rule. */
function move(at: Place, { gradient, taskHessian, taskGradient, cross }: Equations, lower: Matrix): number {
  const { levels, onVal } = at;
  const size = onVal.length;
  const moves = solveLower(lower, gradient).map((by) => clamp(by, -1, 1));
  for (let task = 0; task < levels.length; task += 1) {
    let rest = taskGradient[task] as number;
    for (let k = 0; k < size; k += 1) rest -= (cross[task * size + k] as number) * (moves[k] as number);
    levels[task] = (levels[task] as number) + clamp(rest / (taskHessian[task] as number), -1.5, 1.5);
  }
  at.middle = total(levels) / levels.length;
  let most = 0;
  for (let k = 0; k < size; k += 1) {
    onVal[k] = (onVal[k] as number) + (moves[k] as number);
    most = Math.max(most, Math.abs(moves[k] as number));
  }
  return most;
}

/** How much rules differ: one step of expectation-maximisation, with a prior worth `ownWeight` rules. */
function learnSpread(onVal: Float64Array, lower: Matrix, variance: number, luck: number): number {
  const { ownSd, ownWeight, ownLeast } = modelConstants;
  const size = onVal.length;
  const { mean } = commonWorth(onVal, variance);
  let sum = total(inverseDiagonal(lower, size));
  for (const value of onVal) sum += (value - mean) ** 2;
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
  const covariance = inverseOf(lower, size);
  const rows = new Float64Array(size);
  for (let k = 0; k < size; k += 1) rows[k] = total(covariance.subarray(k * size, (k + 1) * size));
  const pull = ((1 - share) * common.variance) / (own + luck);
  const all = pull ** 2 * total(rows) + (1 - share) ** 2 * common.variance;
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const at = row * size + column;
      const both = share * pull * ((rows[row] as number) + (rows[column] as number));
      covariance[at] = share ** 2 * (covariance[at] as number) + both + all;
    }
    covariance[row * size + row] = (covariance[row * size + row] as number) + own * (1 - share);
  }
  return {
    common: common.mean,
    newSd: Math.sqrt(own + common.variance + pull ** 2 * total(rows)),
    worth: onVal.map((value) => (1 - share) * common.mean + share * value),
    covariance,
  };
}

function total(values: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < values.length; at += 1) sum += values[at] as number;
  return sum;
}
