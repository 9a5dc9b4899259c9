/** Square matrices, row by row in one array. */
export type Matrix = Float64Array;

/** The lower triangle L with L·Lᵀ = the symmetric matrix with the given lower triangle. */
export function cholesky(matrix: Matrix, size: number): Matrix {
  const lower = matrix.slice();
  for (let column = 0; column < size; column += 1) {
    const top = column * size;
    let rest = lower[top + column] as number;
    for (let k = 0; k < column; k += 1) rest -= (lower[top + k] as number) ** 2;
    const diagonal = Math.sqrt(Math.max(rest, 1e-9));
    lower[top + column] = diagonal;
    for (let row = column + 1; row < size; row += 1) {
      const start = row * size;
      let sum = lower[start + column] as number;
      for (let k = 0; k < column; k += 1) sum -= (lower[start + k] as number) * (lower[top + k] as number);
      lower[start + column] = sum / diagonal;
    }
  }
  return lower;
}

/** Solves L·Lᵀ·x = the given values for x. */
export function solveLower(lower: Matrix, values: Float64Array): Float64Array {
  const size = values.length;
  const x = values.slice();
  for (let row = 0; row < size; row += 1) {
    let sum = x[row] as number;
    for (let k = 0; k < row; k += 1) sum -= (lower[row * size + k] as number) * (x[k] as number);
    x[row] = sum / (lower[row * size + row] as number);
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = x[row] as number;
    for (let k = row + 1; k < size; k += 1) sum -= (lower[k * size + row] as number) * (x[k] as number);
    x[row] = sum / (lower[row * size + row] as number);
  }
  return x;
}

/** (L·Lᵀ)⁻¹: the products of the columns of L⁻¹. */
export function inverseOf(lower: Matrix, size: number): Matrix {
  const columns = columnsOfInverse(lower, size);
  const product = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = 0;
      for (let k = row; k < size; k += 1)
        sum += (columns[row * size + k] as number) * (columns[column * size + k] as number);
      product[row * size + column] = sum;
      product[column * size + row] = sum;
    }
  }
  return product;
}

/** The diagonal of (L·Lᵀ)⁻¹. */
export function inverseDiagonal(lower: Matrix, size: number): Float64Array {
  const columns = columnsOfInverse(lower, size);
  return Float64Array.from({ length: size }, (_, column) => {
    let sum = 0;
    for (let k = column; k < size; k += 1) sum += (columns[column * size + k] as number) ** 2;
    return sum;
  });
}

/** L⁻¹, column after column. */
function columnsOfInverse(lower: Matrix, size: number): Matrix {
  const columns = new Float64Array(size * size);
  for (let column = 0; column < size; column += 1) {
    const start = column * size;
    for (let row = column; row < size; row += 1) {
      let sum = Number(row === column);
      for (let k = column; k < row; k += 1)
        sum -= (lower[row * size + k] as number) * (columns[start + k] as number);
      columns[start + row] = sum / (lower[row * size + row] as number);
    }
  }
  return columns;
}
