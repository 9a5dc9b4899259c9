import { normalAbove } from "../gate/claim/normal.ts";
import type { Matrix } from "./symmetric.ts";

/**
 * What all results on val say about every rule. A result is the score of a task under a text with some rules:
 *
 *     log odds of a pass = level(task) + Σ onVal(rule)     level ~ N(middle, spread²)
 *     onVal(rule)        = worth(rule) + luck              luck  ~ N(0, tau² / units): val is a sample of tasks
 *     worth(rule)        = common + own                    own   ~ N(0, ownSd²), common ~ N(mean, sd²)
 *
 * What counts is `worth`: what a rule does on tasks like these. Log odds throughout; points of score only in reports.
 * Rules are columns here, numbered from 0 in the order of their coming.
 */
export interface RuleModel {
  /** Of each task; their mean is 1. */
  readonly weights: readonly number[];
  /** The variance of val's luck with a rule. */
  readonly luck: number;
  readonly columns: number;
  readonly texts: ReadonlyMap<string, TextResults>;
  readonly fit: Fit;
}

/** The likeliest values under all results so far, and what is believed of each rule. */
export interface Fit {
  readonly levels: Float64Array;
  readonly middle: number;
  readonly onVal: Float64Array;
  readonly ownSd: number;
  /** The variance of results as a share of pass/fail's: 1, or less where scores are graded. */
  readonly noise: number;
  /** What rules are worth on average, and the doubt about one that nothing is known of. */
  readonly common: number;
  readonly newSd: number;
  readonly worth: Float64Array;
  readonly covariance: Matrix;
}

/** All results of one text, equal tasks added up. */
export interface TextResults {
  readonly columns: readonly number[];
  readonly tasks: ReadonlyMap<number, Scores>;
}

export interface Scores {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

export const modelConstants = {
  /** What edits of an unknown optimizer are worth on average: a little harm, much in doubt. */
  mean: -0.08,
  meanSd: 0.25,
  /** How they differ, as if known from that many rules; the run's own evidence is added. */
  ownSd: 0.25,
  ownWeight: 15,
  ownLeast: 0.1,
  /** How a rule's effect differs from task to task. */
  tau: 0.55,
  /** How tasks differ. */
  spread: 1.5,
  /** The share of edits that do nothing at all; it concerns only the chances that are reported. */
  idle: 0.3,
} as const;

export function addColumns(model: RuleModel, count: number): RuleModel {
  return { ...model, columns: model.columns + count };
}

/** @param results the columns of each are in increasing order */
export function addScores(
  model: RuleModel,
  results: readonly { readonly task: number; readonly columns: readonly number[]; readonly score: number }[],
): RuleModel {
  const texts = new Map(model.texts);
  const touched = new Map<string, Map<number, Scores>>();
  for (const { task, columns, score } of results) {
    const key = columns.join(" ");
    const tasks = touched.get(key) ?? new Map(texts.get(key)?.tasks);
    const { count, sum, squares } = tasks.get(task) ?? { count: 0, sum: 0, squares: 0 };
    tasks.set(task, { count: count + 1, sum: sum + score, squares: squares + score ** 2 });
    touched.set(key, tasks);
    texts.set(key, { columns, tasks });
  }
  return { ...model, texts };
}

export interface Belief {
  /** In log odds. */
  readonly mean: number;
  readonly sd: number;
  /** The chance that it is above zero. */
  readonly helps: number;
}

/** What some rules are worth together. */
export function beliefAbout({ fit }: RuleModel, columns: readonly number[]): Belief {
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
