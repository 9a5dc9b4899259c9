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

/** The chance that a standard normal variable is below the value. */
export const chanceBelow = (value: number): number =>
  value > 0 ? 1 - normalAbove(value) : normalAbove(-value);
