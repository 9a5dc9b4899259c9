import { type Cell, type WorthModel, clamp } from "./rule-model.ts";
import type { Matrix } from "./symmetric.ts";

/** All that the results say, by their weights: however many there are, a fit costs the same from here on. */
export interface Sums {
  readonly results: number;
  readonly squares: number;
  /** By task: results, and their scores. */
  readonly counts: Float64Array;
  readonly scores: Float64Array;
  /** By column: scores; then results by column and task, and by two columns. */
  readonly columnScores: Float64Array;
  readonly cross: Float64Array;
  readonly both: Matrix;
}

export function gatherSums({ cells, weights, columns: size, fit }: WorthModel): Sums {
  const tasks = weights.length;
  const [counts, scores] = [new Float64Array(tasks), new Float64Array(tasks)];
  const columnScores = new Float64Array(size);
  const [cross, both] = [new Float64Array(size * tasks), new Float64Array(size * size)];
  const add = (sums: Float64Array, at: number, value: number) => {
    sums[at] = (sums[at] as number) + value;
  };
  const share = freshShare([...cells.values()], fit.noise);
  let [results, squares] = [0, 0];
  for (const cell of cells.values()) {
    const { task, columns, count } = cell;
    // of the same text on the same task only the fresh share is drawn anew
    const each = (weights[task] as number) / (count * (1 - share) + share);
    const [weight, sum] = [each * count, each * cell.sum];
    results += weight;
    squares += each * cell.squares;
    add(counts, task, weight);
    add(scores, task, sum);
    for (const column of columns) {
      add(columnScores, column, sum);
      add(cross, column * tasks + task, weight);
      for (const other of columns) add(both, column * size + other, weight);
    }
  }
  return { results, squares, counts, scores, columnScores, cross, both };
}

/** The share of the noise that a result draws anew when it is asked for again: all of it, or none where a target is steady. */
function freshShare(cells: readonly Cell[], noise: number): number {
  let [within, repeats] = [0, 0];
  for (const { count, sum, squares } of cells) {
    within += squares - sum ** 2 / count;
    repeats += count - 1;
  }
  return clamp((within + fewRepeats * noise) / (repeats + fewRepeats) / noise, 0, 1);
}

/** As if so many repeats had been fresh. */
const fewRepeats = 4;
