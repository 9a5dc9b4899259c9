import { greatestCommonDivisor } from "./claim-pair.ts";

/**
 * How often chance alone does as well: the share of all subsets of tasks whose integer differences sum to zero or less.
 * Exact; for single pass/fail trials it's the one-sided McNemar test. Never rises when a difference rises.
 */
export function signFlipP(differences: readonly number[]): number {
  const moved = differences.filter((difference) => difference !== 0);
  const unit = moved.reduce((all, difference) => greatestCommonDivisor(all, Math.abs(difference)), 0);
  const gains = moved.filter((difference) => difference > 0).map((gain) => gain / unit);
  const losses = moved.filter((difference) => difference < 0).map((loss) => -loss / unit);
  // the smaller side bounds both tables: sums beyond it can't change which side is ahead
  return total(gains) > total(losses) ? chanceAtMost(gains, losses) : 1 - chanceBelow(losses, gains);
}

/** How often random signs give these differences a sum above `limit`. */
export function chanceAbove(differences: readonly number[], limit: number): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const unit = sizes.reduce(greatestCommonDivisor, 0) || 1;
  const parts = sizes.map((size) => size / unit);
  // equivalent: the lost ones sum to less than half of the rest
  const below = Math.ceil((total(parts) - limit / unit) / 2) - 1;
  return below < 0 ? 0 : Math.min(total([...subsetSums(parts, below)]), 1);
}

/** The chance that a random subset of the first sums to no more than one of the second. */
function chanceAtMost(first: readonly number[], second: readonly number[]): number {
  const limit = total(second);
  return chanceOrdered(subsetSums(first, limit), subsetSums(second, limit), 0);
}

/** The same for strictly less. */
function chanceBelow(first: readonly number[], second: readonly number[]): number {
  const limit = total(second);
  return chanceOrdered(subsetSums(first, limit), subsetSums(second, limit), 1);
}

function chanceOrdered(first: Float64Array, second: Float64Array, gap: 0 | 1): number {
  let [share, below] = [0, 0];
  for (let sum = gap; sum < second.length; sum += 1) {
    below += first[sum - gap] as number;
    share += below * (second[sum] as number);
  }
  return Math.min(share, 1);
}

/** The probability of each sum of a random subset, up to the limit; the index is the sum. */
function subsetSums(values: readonly number[], limit: number): Float64Array {
  const sums = new Float64Array(limit + 1);
  sums[0] = 1;
  let top = 0;
  // ascending values keep the range short for longest
  for (const value of values.toSorted((a, b) => a - b)) {
    for (let sum = top; sum >= 0; sum -= 1) {
      const half = (sums[sum] as number) / 2;
      sums[sum] = half;
      if (sum + value <= limit) sums[sum + value] = (sums[sum + value] as number) + half;
    }
    top = Math.min(top + value, limit);
  }
  return sums;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
