import { type Part, type Seen, learnKinds, momentsOf, priorShares, startKinds, tellKind } from "./kinds.ts";
import { countPairs } from "./count-pairs.ts";
import { learnVariances } from "./learn-variances.ts";
import { type Fit, type WorthModel, clamp, modelConstants, priorOf, tauBefore } from "./rule-model.ts";
import { type Matrix, cholesky, inverseDiagonal, inverseOf, solveLower } from "./symmetric.ts";
import { type BlockSums, gatherBlocks, makeBlocks } from "./unit-blocks.ts";

export interface ModelPlan {
  readonly tasks: number;
  /** For each task, the index of the independent one that it belongs to. @default each its own */
  readonly units?: readonly number[] | undefined;
  readonly weights?: readonly number[] | undefined;
  /** The original's score. @default half of all */
  readonly level?: number | undefined;
}

export function startModel({ tasks, units, weights, level = 0.5 }: ModelPlan): WorthModel {
  const given = weights ?? Array.from({ length: tasks }, () => 1);
  const sum = given.reduce((all, weight) => all + weight, 0);
  const dark = clamp(1 - level / darkBelow, 0, 1);
  return {
    units: units ?? given.map((_, task) => task),
    weights: given.map((weight) => (weight * tasks) / sum),
    dark,
    sources: [],
    settled: [],
    cells: new Map(),
    fit: startFit(dark),
  };
}

/** The same results, with nothing learned about the rules; the learned scatter of results stays. */
export function forgetRules(model: WorthModel): WorthModel {
  const { middle, noise, tau } = model.fit;
  return { ...model, fit: { ...startFit(model.dark), middle, noise, tau } };
}

function startFit(dark: number): Fit {
  const none = new Float64Array();
  return {
    middle: modelConstants.middle,
    noise: modelConstants.noise,
    tau: tauBefore(dark),
    kinds: startKinds(),
    shares: new Map(),
    sites: { precision: none, shift: none },
    mean: none,
    covariance: none,
    parts: [],
  };
}

/** An original that passes less than this has little to lose and much to gain. */
const darkBelow = 0.3;

interface FitOptions {
  /** Rounds of expectation propagation. @default 4 */
  readonly rounds?: number;
  /** Whether the scatter of results is learned too. @default true */
  readonly learns?: boolean;
  /** The sums of the model's cells, if already gathered; the fit changes them. */
  readonly gathered?: BlockSums;
}

/** Continues from the last fit: a few rounds of expectation propagation, and one step of learning about the run. */
export function fitRules(
  model: WorthModel,
  { rounds: most = 4, learns = true, gathered }: FitOptions = {},
): WorthModel {
  const { sources } = model;
  const size = sources.length + 1;
  const blocks = model.isCounted === true || gathered !== undefined ? [] : makeBlocks(model);
  const { precision, shift } =
    gathered ?? (model.isCounted === true ? countPairs(model, size) : gatherBlocks(blocks, size));
  const { middle, middleSd } = modelConstants;
  const last = size * size - 1;
  precision[last] = (precision[last] as number) + 1 / middleSd ** 2;
  shift[size - 1] = (shift[size - 1] as number) + middle / middleSd ** 2;
  const prior = priorShares(model.dark);
  let { kinds, shares } = model.fit;
  const sites = startSites(model);
  const rounds = model.isCounted === true ? 2 : most;
  let parts: readonly (readonly Part[])[] = [];
  let found = solve(precision, shift, sites);
  for (let round = 1; round <= rounds; round += 1) {
    const seen = sources.map((_, column) => seenAlone(found, sites, column));
    parts = seen.map((one, column) => tellKind(one, kinds, shares.get(sources[column] as string) ?? prior));
    if (round < rounds) {
      parts.forEach((each, column) => moveSite(sites, column, each, seen[column] as Seen));
      ({ kinds, shares } = learnKinds(
        [
          ...model.settled,
          ...parts.map((each, column) => ({ source: sources[column] as string, parts: each })),
        ],
        kinds,
        prior,
      ));
      found = solve(precision, shift, sites);
    }
  }
  const { noise, tau } = model.fit;
  const covariance = inverseOf(found.lower, size);
  const learned =
    blocks.length === 0 || !learns
      ? { noise, tau }
      : learnVariances(blocks, {
          ...model.fit,
          mean: found.mean,
          covariance,
          expected: tauBefore(model.dark),
        });
  const fit: Fit = {
    ...learned,
    middle: found.mean[size - 1] as number,
    kinds,
    shares,
    sites,
    covariance: withoutMiddle(covariance, size),
    parts,
    mean: Float64Array.from(parts, (each) => momentsOf(each).mean),
  };
  return { ...model, fit };
}

interface Solved {
  readonly mean: Float64Array;
  /** Of each rule. */
  readonly variances: Float64Array;
  /** The triangular matrix from which everything is derived. */
  readonly lower: Matrix;
}

type Sites = Fit["sites"];

/** The sites of the last fit; a new rule starts from its prior. */
function startSites(model: WorthModel): Sites {
  const { sources, fit } = model;
  const precision = new Float64Array(sources.length);
  const shift = new Float64Array(sources.length);
  precision.set(fit.sites.precision);
  shift.set(fit.sites.shift);
  for (let column = fit.sites.precision.length; column < sources.length; column += 1) {
    const { mean, variance } = priorOf(model, column);
    precision[column] = 1 / variance;
    shift[column] = mean / variance;
  }
  return { precision, shift };
}

function solve(precision: Float64Array, shift: Float64Array, sites: Sites): Solved {
  const size = shift.length;
  const all = precision.slice();
  const right = shift.slice();
  for (let column = 0; column < size - 1; column += 1) {
    all[column * size + column] =
      (all[column * size + column] as number) + (sites.precision[column] as number);
    right[column] = (right[column] as number) + (sites.shift[column] as number);
  }
  const lower = cholesky(all, size);
  return { mean: solveLower(lower, right), variances: inverseDiagonal(lower, size), lower };
}

/** The belief about a rule without its own prior. */
function seenAlone({ mean, variances }: Solved, sites: Sites, column: number): Seen {
  const variance = variances[column] as number;
  const precision = Math.max(1 / variance - (sites.precision[column] as number), 1e-6);
  const shift = (mean[column] as number) / variance - (sites.shift[column] as number);
  return { mean: shift / precision, variance: 1 / precision };
}

/** The share of each step that a site takes: full steps would overshoot for rules that occur together. */
const pace = 0.7;

/** Updates the normal distribution that represents a rule's prior, so that with the data it has the moments of the belief. */
function moveSite(sites: Sites, column: number, parts: readonly Part[], seen: Seen): void {
  const { mean, variance } = momentsOf(parts);
  const precision = Math.max(1 / variance - 1 / seen.variance, 0.5);
  const shift = mean * (precision + 1 / seen.variance) - seen.mean / seen.variance;
  sites.precision[column] = (1 - pace) * (sites.precision[column] as number) + pace * precision;
  sites.shift[column] = (1 - pace) * (sites.shift[column] as number) + pace * shift;
}

/** Only the part for the rules. */
function withoutMiddle(covariance: Float64Array, size: number): Float64Array {
  const rules = size - 1;
  const own = new Float64Array(rules * rules);
  for (let row = 0; row < rules; row += 1)
    own.set(covariance.subarray(row * size, row * size + rules), row * rules);
  return own;
}
