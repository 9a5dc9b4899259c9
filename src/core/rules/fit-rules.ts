import { type Sums, gatherSums } from "./gather-sums.ts";
import { type Fit, type WorthModel, type Scale, clamp, modelConstants } from "./rule-model.ts";
import { type Matrix, cholesky, inverseDiagonal, inverseOf, solveLower } from "./symmetric.ts";
import { tellKinds } from "./tell-kinds.ts";

export interface ModelPlan {
  readonly tasks: number;
  /** Independent ones among the tasks: val is a sample of so many. */
  readonly units: number;
  readonly weights?: readonly number[] | undefined;
}

export function startModel({ tasks, units, weights }: ModelPlan): WorthModel {
  const given = weights ?? Array.from({ length: tasks }, () => 1);
  const sum = given.reduce((all, weight) => all + weight, 0);
  const even = given.map((weight) => (weight * tasks) / sum);
  // Kish: unequal weights are worth fewer tasks
  const share = tasks / even.reduce((all, weight) => all + weight ** 2, 0);
  const luck = modelConstants.tau ** 2 / (units * share);
  const none = new Float64Array();
  const found = {
    levels: new Float64Array(tasks).fill(0.5),
    middle: 0.5,
    onVal: none,
    ownSd: modelConstants.scales[0].ownSd,
    noise: modelConstants.noise,
  };
  return {
    weights: even,
    luck,
    columns: 0,
    cells: new Map(),
    fit: { ...found, ...believe(found, none, luck) },
  };
}

/**
 * Goes on from the last fit. Most optimizers' rules move a few points; in some runs one moves nearly everything. Both are tried,
 * and what makes the results likelier is believed.
 */
export function fitRules(model: WorthModel): WorthModel {
  const sums = gatherSums(model);
  const [first, ...others] = modelConstants.scales.map((scale) => fitAt(model, sums, scale));
  const { fit } = others.reduce((best, one) => (one.evidence > best.evidence ? one : best), first as Fitted);
  return { ...model, fit };
}

interface Fitted {
  readonly fit: Fit;
  /** How likely the results are, as a log, beside the same of other scales. */
  readonly evidence: number;
}

/** Tasks are eliminated by their Schur complement, as each has its own level only. */
function fitAt(model: WorthModel, sums: Sums, { ownSd: start, chance }: Scale): Fitted {
  let { middle, noise, levels } = model.fit;
  let ownSd: number = start;
  let onVal: Float64Array = new Float64Array();
  let lower: Matrix = new Float64Array();
  let evidence = 0;
  for (let round = 0; round < 10; round += 1) {
    const variance = ownSd ** 2 + model.luck;
    const solved = solveFor(model, sums, { middle, variance, noise });
    const moved = Math.max(...solved.onVal.map((value, k) => Math.abs(value - (onVal[k] ?? 0))), 0);
    ({ onVal, levels, lower, evidence } = solved);
    middle = total(levels) / levels.length;
    noise = learnNoise(model, sums, { onVal, levels });
    ownSd = learnSpread(onVal, lower, { variance, luck: model.luck, start });
    if (round > 1 && moved < 3e-4) break;
  }
  const found = { levels, middle, onVal, ownSd, noise };
  return {
    fit: { ...found, ...believe(found, lower, model.luck) },
    evidence: evidence + Math.log(chance),
  };
}

/** The likeliest values, given how much rules, tasks and results differ. */
function solveFor(
  { weights, columns: size }: WorthModel,
  sums: Sums,
  { middle, variance, noise }: { readonly middle: number; readonly variance: number; readonly noise: number },
) {
  const { spread, meanSd, mean } = modelConstants;
  const tasks = weights.length;
  const { cross } = sums;
  // the prior's precision of exchangeable rules: 1/variance on the diagonal, minus `shared` everywhere
  const shared = meanSd ** 2 / variance ** 2 / (1 + (size * meanSd ** 2) / variance);
  const precision = sums.both.map((count) => count / noise - shared);
  const right = sums.columnScores.map((sum) => sum / noise + mean * (1 / variance - size * shared));
  for (let k = 0; k < size; k += 1)
    precision[k * size + k] = (precision[k * size + k] as number) + 1 / variance;
  const given = right.slice();
  const taskRight = sums.scores.map((sum) => sum / noise + middle / spread ** 2);
  const taskPrecision = sums.counts.map((count) => count / noise + 1 / spread ** 2);
  for (let task = 0; task < tasks; task += 1) {
    for (let k = 0; k < size; k += 1) {
      const own = cross[k * tasks + task] as number;
      if (own === 0) continue;
      const part = own / noise / (taskPrecision[task] as number);
      right[k] = (right[k] as number) - part * (taskRight[task] as number);
      for (let q = 0; q <= k; q += 1) {
        const cell = k * size + q;
        precision[cell] = (precision[cell] as number) - (part * (cross[q * tasks + task] as number)) / noise;
      }
    }
  }
  const lower = cholesky(precision, size);
  const onVal = solveLower(lower, right);
  const levels = taskRight.map((sum, task) => {
    let rest = sum;
    for (let k = 0; k < size; k += 1)
      rest -= ((cross[k * tasks + task] as number) / noise) * (onVal[k] as number);
    return rest / (taskPrecision[task] as number);
  });
  // all of it is one bell curve: its height over the prior's, and what the results leave
  let log = -(sums.results * Math.log(noise)) / 2 - sums.squares / noise / 2;
  log -= (tasks * middle ** 2) / spread ** 2 / 2 + (size * mean ** 2 * (1 / variance - size * shared)) / 2;
  for (let task = 0; task < tasks; task += 1)
    log +=
      ((levels[task] as number) * (taskRight[task] as number) -
        Math.log((taskPrecision[task] as number) * spread ** 2)) /
      2;
  for (let k = 0; k < size; k += 1)
    log += ((onVal[k] as number) * (given[k] as number)) / 2 - Math.log(lower[k * size + k] as number);
  const evidence = log - (size * Math.log(variance) + Math.log1p((size * meanSd ** 2) / variance)) / 2;
  return { onVal, levels, lower, evidence };
}

/** The variance of a result: what the fit leaves, which is less than noise by the freedom that it took. */
function learnNoise(
  { weights, columns: size }: WorthModel,
  sums: Sums,
  { onVal, levels }: Pick<Fit, "onVal" | "levels">,
): number {
  const { noise, noiseWeight, noiseLeast, noiseMost } = modelConstants;
  const tasks = weights.length;
  let left = sums.squares;
  for (let task = 0; task < tasks; task += 1) {
    const level = levels[task] as number;
    left += level * (level * (sums.counts[task] as number) - 2 * (sums.scores[task] as number));
    for (let k = 0; k < size; k += 1)
      left += 2 * level * (onVal[k] as number) * (sums.cross[k * tasks + task] as number);
  }
  for (let k = 0; k < size; k += 1) {
    left -= 2 * (onVal[k] as number) * (sums.columnScores[k] as number);
    for (let q = 0; q < size; q += 1)
      left += (onVal[k] as number) * (onVal[q] as number) * (sums.both[k * size + q] as number);
  }
  const { results } = sums;
  const free = Math.max(0.3, results / (results + tasks + size));
  const learned = (left + noise * noiseWeight) / (results + noiseWeight) / free;
  return clamp(learned, noiseLeast, noiseMost);
}

/** How much rules differ: one step of expectation-maximisation, with a prior worth `ownWeight` rules. */
function learnSpread(
  onVal: Float64Array,
  lower: Matrix,
  { variance, luck, start }: { readonly variance: number; readonly luck: number; readonly start: number },
): number {
  const { ownWeight, ownLeast } = modelConstants;
  const size = onVal.length;
  const { mean } = commonWorth(onVal, variance);
  const variances = inverseDiagonal(lower, size);
  let sum = 0;
  for (let k = 0; k < size; k += 1) sum += ((onVal[k] as number) - mean) ** 2 + (variances[k] as number);
  const learned = (ownWeight * (start ** 2 + luck) + sum) / (ownWeight + size) - luck;
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
  const newSd = Math.sqrt(own + common.variance + pull ** 2 * total(rows));
  const worth = onVal.map((value) => (1 - share) * common.mean + share * value);
  const sds = worth.map((_, k) => Math.sqrt(covariance[k * size + k] as number));
  const kinds = tellKinds({ worth, sds, common: common.mean, newSd });
  return { common: common.mean, newSd, worth, covariance, kinds };
}

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
