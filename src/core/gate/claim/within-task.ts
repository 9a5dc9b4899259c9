import { type FinishedPair, greatestCommonDivisor, trialWeights, toGrid } from "./claim-pair.ts";

/**
 * How often chance alone does as well on exactly these tasks: trials swap arms within their task. Exact, and it never
 * rises when a candidate's trial rises or an incumbent's trial falls.
 */
export function withinTaskP(pairs: readonly FinishedPair[]): number {
  return shiftedWithinTaskP(pairs, 1, 0);
}

/** The same after subtracting `shift` from every trial of the candidate, in steps of a grid that is finer by this factor. */
export function shiftedWithinTaskP(pairs: readonly FinishedPair[], finer: number, shift: number): number {
  const strata = stratify(pairs, finer, shift);
  const unit = strata
    .flatMap(({ candidate, incumbent }) => [...candidate, ...incumbent])
    .reduce(greatestCommonDivisor, 0);
  if (unit === 0) return 1;
  let sums = Float64Array.of(1);
  let observed = 0;
  for (const { candidate, incumbent } of strata) {
    const scale = (value: number) => value / unit;
    const own = candidate.map(scale);
    sums = convolve(sums, armSums([...own, ...incumbent.map(scale)], own.length));
    observed += own.reduce((sum, value) => sum + value, 0);
  }
  let share = 0;
  for (let sum = sums.length - 1; sum >= observed; sum -= 1) share += sums[sum] as number;
  return Math.min(share, 1);
}

/**
 * Weighted grid values that may swap arms with one another. Trials beyond the common number were bought later, for
 * tasks chosen by their first trials, so they swap only among themselves.
 */
function stratify(pairs: readonly FinishedPair[], finer: number, shift: number): FinishedPair[] {
  const weights = trialWeights(pairs);
  const common = Math.min(...pairs.map(({ candidate }) => candidate.length));
  // adding a constant to all values of a task changes nothing, and tables begin at zero
  const lift = Math.max(shift, 0);
  return pairs.flatMap(({ incumbent, candidate }, task) => {
    const values = (trials: readonly number[], moved: number) =>
      trials.map((trial) => (toGrid(trial) * finer + moved) * (weights[task] ?? 1));
    const part = (from: number, to?: number) => ({
      incumbent: values(incumbent.slice(from, to), lift),
      candidate: values(candidate.slice(from, to), lift - shift),
    });
    return candidate.length > common ? [part(0, common), part(common)] : [part(0)];
  });
}

/** The probability of each sum for an arm of `size` values drawn from the pool; the index is the sum. */
function armSums(pool: readonly number[], size: number): Float64Array {
  const top = pool.reduce((sum, value) => sum + value, 0);
  // ways[k][s]: ways to put k of the values so far into the arm with the sum s
  const ways = Array.from({ length: size + 1 }, () => new Float64Array(top + 1));
  (ways[0] as Float64Array)[0] = 1;
  let reach = 0;
  pool.forEach((value, at) => {
    for (let chosen = Math.min(at, size - 1); chosen >= 0; chosen -= 1) {
      const from = ways[chosen] as Float64Array;
      const to = ways[chosen + 1] as Float64Array;
      for (let sum = reach; sum >= 0; sum -= 1) {
        to[sum + value] = (to[sum + value] as number) + (from[sum] as number);
      }
    }
    reach += value;
  });
  const counts = ways[size] as Float64Array;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const last = counts.findLastIndex((count) => count > 0);
  return counts.subarray(0, last + 1).map((count) => count / all);
}

function convolve(first: Float64Array, second: Float64Array): Float64Array<ArrayBuffer> {
  const sums = new Float64Array(first.length + second.length - 1);
  for (let left = 0; left < first.length; left += 1) {
    const chance = first[left] as number;
    if (chance === 0) continue;
    for (let right = 0; right < second.length; right += 1) {
      sums[left + right] = (sums[left + right] as number) + chance * (second[right] as number);
    }
  }
  return sums;
}
