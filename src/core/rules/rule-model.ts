import { normalAbove } from "../gate/claim/normal.ts";
import type { Matrix } from "./symmetric.ts";

/**
 * What all results on val say about every rule. A result is the score of a task under a text with some rules:
 *
 *     score       = level(task) + Σ onVal(rule) + noise    level ~ N(middle, spread²)
 *     onVal(rule) = worth(rule) + luck                     luck  ~ N(0, tau² / units): val is a sample of tasks
 *     worth(rule) = common + own                           own   ~ N(0, ownSd²), common ~ N(mean, meanSd²)
 *
 * What counts is `worth`: what a rule does on tasks like these, as a share of the score. Rules are columns here, numbered from 0
 * in the order of their coming.
 */
export interface WorthModel {
  /** Of each task; their mean is 1. */
  readonly weights: readonly number[];
  /** The variance of val's luck with a rule. */
  readonly luck: number;
  readonly columns: number;
  readonly cells: ReadonlyMap<string, Cell>;
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

/** The likeliest values under all results so far, and what is believed of each rule. */
export interface Fit {
  readonly levels: Float64Array;
  readonly middle: number;
  readonly onVal: Float64Array;
  readonly ownSd: number;
  /** The variance of one result. */
  readonly noise: number;
  /** What rules are worth on average, and the doubt about one that nothing is known of. */
  readonly common: number;
  readonly newSd: number;
  readonly worth: Float64Array;
  readonly covariance: Matrix;
  /** The same for who also reckons with rules that do nothing at all. */
  readonly kinds: Kinds;
}

/** Rules are of two kinds: most do little or nothing, the others differ. By column. */
export interface Kinds {
  /** The chance that it does anything at all. */
  readonly acts: Float64Array;
  /** What it is worth if it does. */
  readonly worth: Float64Array;
}

/** How much the rules of a run may differ, and how likely that is beforehand. */
export interface Scale {
  readonly ownSd: number;
  readonly chance: number;
}

export const modelConstants = {
  /** What edits of an unknown optimizer are worth on average: a little harm, much in doubt. */
  mean: -0.0136,
  meanSd: 0.0425,
  /** How they differ: mostly by little. Each as if known from that many rules; the run's own evidence is added. */
  scales: [
    { ownSd: 0.0425, chance: 0.7 },
    { ownSd: 0.17, chance: 0.3 },
  ],
  ownWeight: 15,
  ownLeast: 0.017,
  /** How a rule's effect differs from task to task. */
  tau: 0.0935,
  /** How tasks differ. */
  spread: 0.3,
  /** The variance of a result, as if known from that many, and its bounds: pass/fail has no more. */
  noise: 0.2,
  noiseWeight: 15,
  noiseLeast: 0.005,
  noiseMost: 0.25,
  /** The share of edits that do nothing at all, and how far the others spread; each as if known from that many rules. */
  idle: 0.3,
  idleWeight: 8,
  actingSd: 0.06,
  actingWeight: 5,
} as const;

export const addColumns = (model: WorthModel, count: number): WorthModel => ({
  ...model,
  columns: model.columns + count,
});

export interface ColumnResult {
  readonly task: number;
  readonly columns: readonly number[];
  readonly score: number;
}

export function addScores(model: WorthModel, added: readonly ColumnResult[]): WorthModel {
  const cells = new Map(model.cells);
  for (const { task, columns, score } of added) {
    const place = `${task} ${columns.join(" ")}`;
    const { count, sum, squares } = cells.get(place) ?? { count: 0, sum: 0, squares: 0 };
    cells.set(place, { task, columns, count: count + 1, sum: sum + score, squares: squares + score ** 2 });
  }
  return { ...model, cells };
}

export interface Belief {
  /** As a share of the score. */
  readonly mean: number;
  readonly sd: number;
  /** The chance that it is above zero. */
  readonly helps: number;
}

/** What some rules are worth together. */
export function beliefAbout({ fit }: WorthModel, columns: readonly number[]): Belief {
  if (columns.length === 0) return { mean: 0, sd: 0, helps: 0 };
  const size = fit.onVal.length;
  let [mean, variance] = [0, 0];
  for (const column of columns) {
    mean += fit.worth[column] ?? fit.common;
    if (column >= size) variance += fit.newSd ** 2;
    else
      for (const other of columns)
        if (other < size) variance += fit.covariance[column * size + other] as number;
  }
  const sd = Math.sqrt(variance);
  return { mean, sd, helps: chanceBelow(mean / sd) };
}

/** The chance that a standard normal number is below the value. */
export function chanceBelow(value: number): number {
  return value > 0 ? 1 - normalAbove(value) : normalAbove(-value);
}

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);
