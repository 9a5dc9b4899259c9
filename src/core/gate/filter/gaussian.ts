/** Some numbers that are not known exactly: their expected values and covariances. Plain data. */
export interface Gaussian {
  readonly mean: readonly number[];
  readonly covariance: readonly (readonly number[])[];
}

/** What is known after seeing number `index` with noise of the given variance. */
export function observe(known: Gaussian, index: number, value: number, variance: number): Gaussian {
  const column = known.covariance.map((row) => at(row, index));
  const total = at(column, index) + variance;
  const surprise = value - at(known.mean, index);
  return {
    mean: known.mean.map((mean, row) => mean + (at(column, row) / total) * surprise),
    covariance: known.covariance.map((cells, row) =>
      cells.map((cell, other) => cell - (at(column, row) * at(column, other)) / total),
    ),
  };
}

/** New numbers, each a sum of some of the old ones. `rows[i]` lists the terms of the i-th. */
export function sums(known: Gaussian, rows: readonly (readonly number[])[]): Gaussian {
  const total = (terms: readonly number[], value: (term: number) => number) =>
    terms.reduce((sum, term) => sum + value(term), 0);
  return {
    mean: rows.map((terms) => total(terms, (term) => at(known.mean, term))),
    covariance: rows.map((terms) =>
      rows.map((others) =>
        total(terms, (term) => total(others, (other) => at(at(known.covariance, term), other))),
      ),
    ),
  };
}

/** The variance of one of the numbers minus another. */
export function varianceOfDifference({ covariance }: Gaussian, first: number, second: number): number {
  const cell = (row: number, column: number) => at(at(covariance, row), column);
  return cell(first, first) + cell(second, second) - 2 * cell(first, second);
}

/** What a choice between two options gains on average from learning more about their difference first. */
export function valueOfKnowing(expected: number, deviation: number): number {
  const distance = Math.abs(expected) / deviation;
  const density = Math.exp(-(distance * distance) / 2) / Math.sqrt(2 * Math.PI);
  return deviation * (density - distance * normalAbove(distance));
}

/** The chance that a standard normal variable is above `value` ≥ 0. */
export function normalAbove(value: number): number {
  const density = Math.exp(-(value * value) / 2) / Math.sqrt(2 * Math.PI);
  if (value < 3) {
    // the series of the area between 0 and the value
    let [term, area] = [value, value];
    for (let odd = 3; Math.abs(term) > 1e-17 * area; odd += 2) {
      term *= (value * value) / odd;
      area += term;
    }
    return 0.5 - density * area;
  }
  // Laplace's continued fraction, from the far end
  let fraction = value;
  for (let depth = 60; depth >= 1; depth -= 1) fraction = value + depth / fraction;
  return density / fraction;
}

function at<T>(items: readonly T[], index: number): T {
  return items[index] as T;
}
