/**
 * The exact (Clopper–Pearson) interval of a probability, from its number of successes. It misses the true value in at
 * most `alpha` of all cases.
 */
export function binomialInterval(times: number, of: number, alpha = 0.05): readonly [number, number] {
  return [
    times === 0 ? 0 : solve((chance) => atLeast(times, of, chance) < alpha / 2),
    times === of ? 1 : solve((chance) => atLeast(of - times, of, 1 - chance) >= alpha / 2),
  ];
}

/** The chance of at least this many successes, computed in logs because there may be thousands. */
function atLeast(times: number, of: number, chance: number): number {
  let ways = 0;
  let sum = 0;
  for (let k = 0; k <= of; k += 1) {
    if (k > 0) ways += Math.log((of - k + 1) / k);
    if (k >= times) sum += Math.exp(ways + k * Math.log(chance) + (of - k) * Math.log1p(-chance));
  }
  return sum;
}

/** Finds where a condition that holds for small chances stops holding. */
function solve(holds: (chance: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
