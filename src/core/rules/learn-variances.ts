import { type Fit, clamp, modelConstants } from "./rule-model.ts";
import type { Matrix } from "./symmetric.ts";
import { type Block, whiten } from "./unit-blocks.ts";

interface VarianceInput extends Pick<Fit, "noise" | "tau" | "mean" | "covariance"> {
  /** The expected tau before the first result. */
  readonly expected: number;
}

/**
 * The noise of results, and the spread of a rule's effect over tasks: one step of Fisher scoring from the last values
 * (restricted likelihood), each with its own prior.
 */
export function learnVariances(
  all: readonly Block[],
  { noise, tau, mean, covariance, expected }: VarianceInput,
): { readonly noise: number; readonly tau: number } {
  const size = mean.length;
  const every = Math.ceil(all.length / enoughBlocks);
  const blocks = all.filter((_, at) => at % every === 0);
  let [scoreNoise, scoreTau, noiseNoise, noiseTau, tauTau] = [0, 0, 0, 0, 0];
  for (const block of blocks) {
    const { rows, weight } = block;
    const left = leftOver(block, mean);
    const freedom = freedomOf(block, covariance, size);
    const [byNoise, byTau] = [noisePart(block), tauPart(block)];
    const [one, two] = [multiply(freedom, byNoise, rows), multiply(freedom, byTau, rows)];
    scoreNoise += (weight * (quadratic(byNoise, left) - trace(one, rows))) / 2;
    scoreTau += (weight * (quadratic(byTau, left) - trace(two, rows))) / 2;
    noiseNoise += (weight * traceOfProduct(one, one, rows)) / 2;
    noiseTau += (weight * traceOfProduct(one, two, rows)) / 2;
    tauTau += (weight * traceOfProduct(two, two, rows)) / 2;
  }
  // from here on in logs, for the noise and tau²
  const { noise: noise0, noiseSd, noiseLeast, noiseMost, tauSd } = modelConstants;
  const square = tau ** 2;
  const gradient = [
    scoreNoise * noise - Math.log(noise / noise0) / noiseSd ** 2,
    scoreTau * square - Math.log(square / expected ** 2) / (2 * tauSd) ** 2,
  ] as const;
  const a = noiseNoise * noise ** 2 + 1 / noiseSd ** 2;
  const b = noiseTau * noise * square;
  const c = tauTau * square ** 2 + 1 / (2 * tauSd) ** 2;
  const determinant = a * c - b ** 2;
  const step = (value: number) => Math.exp(clamp(value / determinant, -0.7, 0.7));
  return {
    noise: clamp(noise * step(c * gradient[0] - b * gradient[1]), noiseLeast, noiseMost),
    tau: Math.sqrt(square * step(a * gradient[1] - b * gradient[0])),
  };
}

/** Two numbers are well known from this many units, spread over all, and each unit takes the cube of its results. */
const enoughBlocks = 100;

/** The residuals of the fit. */
export function leftOver({ rows, columns, design, scores }: Block, mean: Float64Array): Float64Array {
  const width = columns.length;
  return scores.map((score, row) => {
    if (row >= rows) return 0;
    let left = score;
    for (let k = 0; k < width; k += 1)
      left -= (design[row * width + k] as number) * (mean[columns[k] as number] as number);
    return left;
  });
}

/** The identity minus the part that the fit could explain by its own freedom. */
function freedomOf({ rows, columns, design }: Block, covariance: Matrix, size: number): Matrix {
  const width = columns.length;
  const half = new Float64Array(rows * width);
  for (let row = 0; row < rows; row += 1)
    for (let k = 0; k < width; k += 1) {
      const value = design[row * width + k] as number;
      if (value === 0) continue;
      const from = (columns[k] as number) * size;
      for (let q = 0; q < width; q += 1)
        half[row * width + q] =
          (half[row * width + q] as number) + value * (covariance[from + (columns[q] as number)] as number);
    }
  const freedom = new Float64Array(rows * rows);
  for (let row = 0; row < rows; row += 1)
    for (let other = 0; other <= row; other += 1) {
      let sum = Number(row === other);
      for (let k = 0; k < width; k += 1)
        sum -= (half[row * width + k] as number) * (design[other * width + k] as number);
      freedom[row * rows + other] = sum;
      freedom[other * rows + row] = sum;
    }
  return freedom;
}

/** The variance that one more unit of noise would add, in the block's coordinates. */
function noisePart({ rows, lower, noises }: Block): Matrix {
  const roots = new Float64Array(rows * rows);
  for (let row = 0; row < rows; row += 1) roots[row * rows + row] = Math.sqrt(noises[row] as number);
  whiten(lower, rows, roots, rows);
  return timesItself(roots, rows, rows);
}

/** The same for tau². */
const tauPart = ({ rows, columns, design }: Block): Matrix =>
  timesItself(design, rows, columns.length, columns.length - 1);

/** V·Vᵀ of a table, from its first columns. */
function timesItself(values: Float64Array, rows: number, width: number, used = width): Matrix {
  const product = new Float64Array(rows * rows);
  for (let row = 0; row < rows; row += 1)
    for (let other = 0; other <= row; other += 1) {
      let sum = 0;
      for (let k = 0; k < used; k += 1)
        sum += (values[row * width + k] as number) * (values[other * width + k] as number);
      product[row * rows + other] = sum;
      product[other * rows + row] = sum;
    }
  return product;
}

function multiply(a: Matrix, b: Matrix, size: number): Matrix {
  const product = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1)
    for (let k = 0; k < size; k += 1) {
      const value = a[row * size + k] as number;
      for (let column = 0; column < size; column += 1)
        product[row * size + column] =
          (product[row * size + column] as number) + value * (b[k * size + column] as number);
    }
  return product;
}

function quadratic(matrix: Matrix, values: Float64Array): number {
  const size = values.length;
  let sum = 0;
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1)
      sum += (values[row] as number) * (matrix[row * size + column] as number) * (values[column] as number);
  return sum;
}

function trace(matrix: Matrix, size: number): number {
  let sum = 0;
  for (let row = 0; row < size; row += 1) sum += matrix[row * size + row] as number;
  return sum;
}

function traceOfProduct(a: Matrix, b: Matrix, size: number): number {
  let sum = 0;
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1)
      sum += (a[row * size + column] as number) * (b[column * size + row] as number);
  return sum;
}
