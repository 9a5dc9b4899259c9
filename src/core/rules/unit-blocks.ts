import { type Cell, type WorthModel, modelConstants } from "./rule-model.ts";
import { type Matrix, cholesky } from "./symmetric.ts";

/** The results of one unit, in coordinates in which their noise is independent and of size one. */
export interface Block {
  readonly unit: number;
  readonly rows: number;
  /** The columns that occur in it; the last one, after all rules, is the level's middle. */
  readonly columns: readonly number[];
  /** Row by row: the rules of each text. */
  readonly design: Float64Array;
  readonly scores: Float64Array;
  /** The triangular matrix of this transformation, and how much of the noise each row has. */
  readonly lower: Matrix;
  readonly noises: Float64Array;
  readonly weight: number;
}

/** Results are independent from unit to unit. Within a unit they share the task's level and a rule's effect there. */
export function makeBlocks({ cells, units, weights, sources, fit }: WorthModel): readonly Block[] {
  const all = [...cells.values()];
  const fresh = freshShare(all, fit.noise);
  const byUnit = Map.groupBy(all, ({ task }) => units[task] as number);
  const plan = { middle: sources.length, fresh, weights, noise: fit.noise, tau: fit.tau };
  return [...byUnit].map(([unit, own]) => ({ unit, ...makeBlock(own, plan) }));
}

interface BlockPlan {
  readonly middle: number;
  readonly fresh: number;
  readonly weights: readonly number[];
  readonly noise: number;
  readonly tau: number;
}

function makeBlock(
  cells: readonly Cell[],
  { middle, fresh, weights, noise, tau }: BlockPlan,
): Omit<Block, "unit"> {
  const rules = [...new Set(cells.flatMap(({ columns }) => columns))].toSorted((a, b) => a - b);
  const at = new Map(rules.map((column, place) => [column, place]));
  const [rows, width] = [cells.length, rules.length + 1];
  const design = new Float64Array(rows * width);
  // for the same text on the same task, only the fresh share is drawn again
  const noises = Float64Array.from(cells, ({ count }) => 1 - fresh + fresh / count);
  // the same as bits, because every pair of rows is compared
  const words = Math.ceil(width / 32);
  const bits = new Uint32Array(rows * words);
  cells.forEach(({ columns }, row) => {
    for (const column of columns) {
      const place = at.get(column) as number;
      design[row * width + place] = 1;
      bits[row * words + (place >> 5)] = (bits[row * words + (place >> 5)] as number) | (1 << (place & 31));
    }
    design[row * width + width - 1] = 1;
  });
  const variance = new Float64Array(rows * rows);
  for (let row = 0; row < rows; row += 1)
    for (let other = 0; other <= row; other += 1) {
      let shared = 0;
      for (let k = 0; k < words; k += 1)
        shared += countBits((bits[row * words + k] as number) & (bits[other * words + k] as number));
      const isSameTask = cells[row]?.task === cells[other]?.task;
      variance[row * rows + other] =
        tau ** 2 * shared +
        (isSameTask ? modelConstants.spread ** 2 : 0) +
        (row === other ? noise * (noises[row] as number) : 0);
    }
  const lower = cholesky(variance, rows);
  const scores = Float64Array.from(cells, ({ sum, count }) => sum / count);
  whiten(lower, rows, scores, 1);
  whiten(lower, rows, design, width);
  const weight = cells.reduce((sum, { task }) => sum + (weights[task] as number), 0) / rows;
  return { rows, columns: [...rules, middle], design, scores, lower, noises, weight };
}

function countBits(word: number): number {
  let count = word - ((word >>> 1) & 0x55_55_55_55);
  count = (count & 0x33_33_33_33) + ((count >>> 2) & 0x33_33_33_33);
  return Math.imul((count + (count >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}

/** Solves for a table of values, row by row in place. */
export function whiten(lower: Matrix, rows: number, values: Float64Array, width: number): void {
  for (let row = 0; row < rows; row += 1) {
    const start = row * width;
    for (let above = 0; above < row; above += 1) {
      const part = lower[row * rows + above] as number;
      if (part === 0) continue;
      const from = above * width;
      for (let k = 0; k < width; k += 1)
        values[start + k] = (values[start + k] as number) - part * (values[from + k] as number);
    }
    const diagonal = lower[row * rows + row] as number;
    for (let k = 0; k < width; k += 1) values[start + k] = (values[start + k] as number) / diagonal;
  }
}

/** The blocks' evidence about the rules and the middle: precision (its lower triangle), and precision times value. */
export interface BlockSums {
  readonly precision: Float64Array;
  readonly shift: Float64Array;
}

export function gatherBlocks(blocks: readonly Block[], size: number): BlockSums {
  const precision = new Float64Array(size * size);
  const shift = new Float64Array(size);
  for (const { rows, columns, design, scores, weight } of blocks) {
    const width = columns.length;
    for (let row = 0; row < rows; row += 1)
      for (let k = 0; k < width; k += 1) {
        const value = weight * (design[row * width + k] as number);
        if (value === 0) continue;
        const column = columns[k] as number;
        shift[column] = (shift[column] as number) + value * (scores[row] as number);
        for (let q = 0; q <= k; q += 1) {
          const cell = column * size + (columns[q] as number);
          precision[cell] = (precision[cell] as number) + value * (design[row * width + q] as number);
        }
      }
  }
  return { precision, shift };
}

/** The share of the noise that is drawn again when a result is repeated: all of it, or none for a steady target. */
function freshShare(cells: readonly Cell[], noise: number): number {
  let [within, repeats] = [0, 0];
  for (const { count, sum, squares } of cells) {
    within += squares - sum ** 2 / count;
    repeats += count - 1;
  }
  return Math.min(Math.max((within + fewRepeats * noise) / (repeats + fewRepeats) / noise, 0), 1);
}

/** As if this many repeats had been fresh. */
const fewRepeats = 4;
