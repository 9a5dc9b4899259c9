/** The value that a Student t variable with this many degrees of freedom stays below with the given chance. */
export function studentQuantile(chance: number, freedom: number): number {
  if (chance < 0.5) return -studentQuantile(1 - chance, freedom);
  let [low, high] = [0, 1];
  while (studentBelow(high, freedom) < chance) high *= 2;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (studentBelow(middle, freedom) < chance) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The chance that a Student t variable is below `value`: a finite sum for whole degrees of freedom. */
export function studentBelow(value: number, freedom: number): number {
  const angle = Math.atan(value / Math.sqrt(freedom));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const odd = freedom % 2 === 1;
  let [term, sum] = [odd ? cosine : 1, 0];
  for (let power = odd ? 1 : 0; power <= freedom - 2; power += 2) {
    sum += term;
    term *= (cosine * cosine * (power + 1)) / (power + 2);
  }
  const between = odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return (1 + between) / 2;
}
