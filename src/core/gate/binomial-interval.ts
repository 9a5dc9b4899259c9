import { binomial } from "./claim/claim-limits.ts";

/**
 * The exact (Clopper–Pearson) interval of a chance that came up so many times of so many: it misses the true one in at most
 * `alpha` of all cases.
 */
export function binomialInterval(times: number, of: number, alpha = 0.05): readonly [number, number] {
  if (of === 0) return [0, 1];
  const atLeast = (chance: number) => tail(times, of, chance);
  const atMost = (chance: number) => tail(of - times, of, 1 - chance);
  return [
    times === 0 ? 0 : solve((chance) => atLeast(chance) < alpha / 2),
    times === of ? 1 : solve((chance) => atMost(chance) >= alpha / 2),
  ];
}

/** The chance of at least so many. */
function tail(times: number, of: number, chance: number): number {
  let sum = 0;
  for (let k = times; k <= of; k += 1) sum += binomial(of, k) * chance ** k * (1 - chance) ** (of - k);
  return sum;
}

/** Where something that holds for small chances ceases to. */
function solve(holds: (chance: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
