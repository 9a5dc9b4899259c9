import { normalAbove } from "../gate/filter/gaussian.ts";
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
  /** The variance of results around what is expected, as a share of pass/fail's: 1, or less where scores are graded. */
  readonly noise: number;
  /** The part of it that differs between rollouts of one task under one text: none with a steady target. */
  readonly flicker: number;
  /** What rules are worth on average, and the doubt about one that nothing is known of. */
  readonly common: number;
  readonly newSd: number;
  readonly worth: Float64Array;
  readonly covariance: Matrix;
}

/** All results of one text, those of equal tasks added up: one row for each task. */
export interface TextResults {
  readonly columns: readonly number[];
  readonly tasks: Int32Array;
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  /** Of the squared scores. */
  readonly squares: Float64Array;
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
  /** Pass/fail variance that repeats are taken to have shown before the first. */
  flickerWeight: 2,
  /** The share of edits that do nothing at all; it concerns only the chances that are reported. */
  idle: 0.3,
} as const;

export function addColumns(model: RuleModel, count: number): RuleModel {
  return { ...model, columns: model.columns + count };
}

export interface TextScore {
  readonly task: number;
  /** In increasing order. */
  readonly columns: readonly number[];
  readonly score: number;
}

export function addScores(model: RuleModel, results: readonly TextScore[]): RuleModel {
  const texts = new Map(model.texts);
  for (const [key, added] of Map.groupBy(results, ({ columns }) => columns.join(" ")))
    texts.set(key, addRows(texts.get(key), added));
  return { ...model, texts };
}

function addRows(known: TextResults | undefined, added: readonly TextScore[]): TextResults {
  const tasks = [...new Set([...(known?.tasks ?? []), ...added.map(({ task }) => task)])];
  const rows = new Map(tasks.map((task, row) => [task, row]));
  const sumOf = (before: Float64Array | undefined, value: (score: number) => number) => {
    const sums = new Float64Array(tasks.length);
    sums.set(before ?? []);
    for (const { task, score } of added) {
      const row = rows.get(task) as number;
      sums[row] = (sums[row] as number) + value(score);
    }
    return sums;
  };
  return {
    columns: known?.columns ?? added[0]?.columns ?? [],
    tasks: Int32Array.from(tasks),
    counts: sumOf(known?.counts, () => 1),
    sums: sumOf(known?.sums, (score) => score),
    squares: sumOf(known?.squares, (score) => score ** 2),
  };
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

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);
