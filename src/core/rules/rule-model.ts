import { chanceBelow } from "../gate/claim/normal.ts";
import { type Kind, type Part, type Shares, type ToldRule, momentsOf, priorShares } from "./kinds.ts";
import type { Matrix } from "./symmetric.ts";

/**
 * The evidence about every rule from all results on val. A result is the score of a task under a text with some rules:
 *
 *     score = level(task) + Σ (worth(rule) + local(rule, unit)) + noise
 *
 *     level ~ N(middle, spread²)    tasks differ
 *     local ~ N(0, tau²)            a rule's effect differs from task to task, as the run's results show
 *     worth                         of one of three kinds (`kinds.ts`): nothing at all, little, or much
 *
 * The result that counts is `worth`: a rule's effect on tasks like these, as a share of the score. Rules are columns here,
 * numbered from 0 in the order in which they came.
 */
export interface WorthModel {
  /** For each task, the index of the independent one that it belongs to. */
  readonly units: readonly number[];
  /** For each task; their mean is 1. */
  readonly weights: readonly number[];
  /** How little the original passes: 0 for much, 1 for nothing. In the latter case, rules can be worth much. */
  readonly dark: number;
  /** The source of each rule. */
  readonly sources: readonly string[];
  /** Rules that left the model. The last belief about them shows what this run's rules are like. */
  readonly settled: readonly ToldRule[];
  readonly cells: ReadonlyMap<string, Cell>;
  /** Fitted by counts alone, ignoring what the results of one task have in common. @default false */
  readonly isCounted?: boolean;
  readonly fit: Fit;
}

/** The results of one text on one task. */
export interface Cell {
  readonly task: number;
  readonly columns: readonly number[];
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/** The likeliest values given all results so far, and the belief about each rule. */
export interface Fit {
  /** The mean level of a task. */
  readonly middle: number;
  /** The variance of one result. */
  readonly noise: number;
  readonly tau: number;
  /** The kinds of rules in this run, and their shares by source. */
  readonly kinds: readonly Kind[];
  readonly shares: ReadonlyMap<string, Shares>;
  /** Each prior as the normal distribution that represents it: precision, and precision times mean. */
  readonly sites: { readonly precision: Float64Array; readonly shift: Float64Array };
  /** The belief about all rules together as one normal distribution, and about each. */
  readonly mean: Float64Array;
  readonly covariance: Matrix;
  readonly parts: readonly (readonly Part[])[];
}

export const modelConstants = {
  /** How much tasks differ. */
  spread: 0.3,
  /** The variance of a result before the first one, the uncertainty of its log, and its bounds, which pass/fail sets. */
  noise: 0.2,
  noiseSd: 0.3,
  noiseLeast: 0.005,
  noiseMost: 0.25,
  /** How much a rule's effect differs from task to task, also in the dark, and its uncertainty (of its log). */
  tau: 0.12,
  tauInTheDark: 0.25,
  tauSd: 0.5,
  /** The level of tasks: anything is possible. */
  middle: 0.5,
  middleSd: 0.3,
} as const;

/** The spread of effects before any measurement. */
export const tauBefore = (dark: number): number =>
  modelConstants.tau + dark * (modelConstants.tauInTheDark - modelConstants.tau);

export const addColumns = (model: WorthModel, sources: readonly string[]): WorthModel => ({
  ...model,
  sources: [...model.sources, ...sources],
});

export interface ColumnResult {
  readonly task: number;
  readonly columns: readonly number[];
  readonly score: number;
  /** The number of the draw, if results of the same text on the same task mustn't be pooled. */
  readonly draw?: number;
}

const cellKey = (task: number, columns: readonly number[], draw: number | "" = ""): string =>
  `${task} ${columns.join(" ")},${draw}`;

export function addScores(model: WorthModel, added: readonly ColumnResult[]): WorthModel {
  const cells = new Map(model.cells);
  for (const { task, columns, score, draw = "" } of added) {
    const place = cellKey(task, columns, draw);
    const { count, sum, squares } = cells.get(place) ?? { count: 0, sum: 0, squares: 0 };
    cells.set(place, { task, columns, count: count + 1, sum: sum + score, squares: squares + score ** 2 });
  }
  return { ...model, cells };
}

/** Removes columns from the model: their worth is fixed at today's belief. The others move up. */
export function settleColumns(model: WorthModel, leaving: ReadonlySet<number>): WorthModel {
  const { cells, fit, sources } = model;
  const staying = [...sources.keys()].filter((column) => !leaving.has(column));
  const place = new Map(staying.map((column, at) => [column, at]));
  const moved = [...cells].map(([key, cell], at): readonly [string, Cell] => {
    const columns = cell.columns.flatMap((column) => place.get(column) ?? []);
    // only cells whose rules never left can occur again; the others need a key that nothing else has
    const isWhole = columns.length === cell.columns.length && key === cellKey(cell.task, cell.columns);
    if (isWhole) return [cellKey(cell.task, columns), { ...cell, columns }];
    const worth = cell.columns.reduce(
      (sum, column) => sum + (place.has(column) ? 0 : (fit.mean[column] as number)),
      0,
    );
    const { count, sum, squares } = cell;
    const left = { sum: sum - count * worth, squares: squares - 2 * worth * sum + count * worth ** 2 };
    return [`settled ${at}`, { ...cell, ...left, columns }];
  });
  const partsOf = (column: number) => fit.parts[column] as readonly Part[];
  const gone = [...leaving].filter((column) => column < fit.parts.length);
  const fitted = staying.filter((column) => column < fit.mean.length);
  const pick = (values: Float64Array) => Float64Array.from(fitted, (column) => values[column] as number);
  const covariance = new Float64Array(fitted.length ** 2);
  fitted.forEach((row, at) =>
    fitted.forEach((column, to) => {
      covariance[at * fitted.length + to] = fit.covariance[row * fit.mean.length + column] as number;
    }),
  );
  return {
    ...model,
    sources: staying.map((column) => sources[column] as string),
    settled: [
      ...model.settled,
      ...gone.map((column) => ({ source: sources[column] as string, parts: partsOf(column) })),
    ],
    cells: new Map(moved),
    fit: {
      ...fit,
      sites: { precision: pick(fit.sites.precision), shift: pick(fit.sites.shift) },
      mean: pick(fit.mean),
      covariance,
      parts: fitted.map((column) => partsOf(column)),
    },
  };
}

export interface Belief {
  /** As a share of the score. */
  readonly mean: number;
  readonly sd: number;
  /** The chance that it's above zero. */
  readonly gains: number;
}

/** The joint worth of some rules. */
export function beliefAbout(model: WorthModel, columns: readonly number[]): Belief {
  const { mean: means, covariance } = model.fit;
  const size = means.length;
  let [mean, variance] = [0, 0];
  for (const column of columns) {
    if (column >= size) {
      const before = priorOf(model, column);
      mean += before.mean;
      variance += before.variance;
      continue;
    }
    mean += means[column] as number;
    for (const other of columns) if (other < size) variance += covariance[column * size + other] as number;
  }
  const sd = Math.sqrt(variance);
  return { mean, sd, gains: sd === 0 ? 0 : chanceBelow(mean / sd) };
}

/** The belief about a rule before its first result. */
export function priorOf(model: WorthModel, column: number) {
  const { kinds } = model.fit;
  const own = sharesOf(model, column);
  return momentsOf(kinds.map((kind, at) => ({ ...kind, chance: own[at] as number })));
}

/** The shares of the kinds among rules of its source. */
export const sharesOf = ({ fit: { shares }, sources, dark }: WorthModel, column: number): Shares =>
  shares.get(sources[column] as string) ?? priorShares(dark);

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);
