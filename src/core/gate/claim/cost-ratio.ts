import { signFlipP } from "./sign-flip.ts";

/** The cost of one sampled unit in each arm. */
export interface CostPair {
  readonly before: number;
  readonly after: number;
}

/** The later arm's cost as a multiple of the earlier one's, with its interval. */
export interface CostRatio {
  readonly value: number;
  readonly low: number;
  /** Null without an upper bound. */
  readonly high: number | null;
}

/**
 * How often chance alone would make the later arm look this cheap. It's exact if the later arm costs `ratio` times the
 * earlier one, because after scaling the two could be swapped. That holds however skewed costs are.
 */
export const atMostP = (pairs: readonly CostPair[], ratio: number): number => {
  const step = stepOf(pairs);
  return signFlipP(pairs.map(({ before, after }) => Math.round((ratio * before - after) / step)));
};

/** The opposite direction: how often it would look this expensive. */
export const atLeastP = (pairs: readonly CostPair[], ratio: number): number => {
  const step = stepOf(pairs);
  return signFlipP(pairs.map(({ before, after }) => Math.round((after - ratio * before) / step)));
};

/** The ratio of the sums, with all ratios that neither test rejects; undefined if the earlier arm costs nothing. */
export function costRatio(pairs: readonly CostPair[], alpha: number): CostRatio | undefined {
  const sum = (arm: keyof CostPair) => pairs.reduce((all, pair) => all + pair[arm], 0);
  if (sum("before") === 0) return undefined;
  const value = sum("after") / sum("before");
  const ratios = pairs.flatMap(({ before, after }) => (before > 0 ? [after / before] : []));
  const [least, most] = [Math.min(...ratios, value), Math.max(...ratios, value)];
  if (most - least <= 1e-9 * most)
    return 2 ** -ratios.length <= alpha ? { value, low: value, high: value } : { value, low: 0, high: null };
  // beyond the outermost pair nothing changes any more
  const isHigh = (ratio: number) => atMostP(pairs, ratio) <= alpha;
  const isLow = (ratio: number) => atLeastP(pairs, ratio) <= alpha;
  const [above, below] = [most * (1 + margin) + margin, least * (1 - margin)];
  return {
    value,
    low: isLow(below) ? border(below, value, isLow) : 0,
    high: isHigh(above) ? border(above, value, isHigh) : null,
  };
}

const margin = 1e-3;

/** Finds the border between `inside`, where a condition holds, and `outside`; returns the side where it holds. */
function border(inside: number, outside: number, holds: (ratio: number) => boolean): number {
  let [yes, no] = [inside, outside];
  for (let round = 0; round < 24 && Math.abs(yes - no) > 1e-4 * outside; round += 1) {
    const middle = (yes + no) / 2;
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** The exact table has about this many cells; costs are rounded to one of them. */
const stepOf = (pairs: readonly CostPair[]): number =>
  pairs.reduce((all, { after }) => all + after, 0) / Math.max(4000, 40 * pairs.length) || 1;
