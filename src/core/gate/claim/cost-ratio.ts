import { signFlipP } from "./sign-flip.ts";

/** What something that was sampled takes under each arm. */
export interface CostPair {
  readonly before: number;
  readonly after: number;
}

/** How many times as much the later arm takes, and where that lies. */
export interface CostRatio {
  readonly value: number;
  readonly low: number;
  /** Null where nothing bounds it. */
  readonly high: number | null;
}

/**
 * How often chance alone would make the later arm look as cheap: exact where it takes `ratio` times as much as the earlier
 * one, so that the two, thus scaled, could change places. However skewed costs are, that stays true.
 */
export const atMostP = (pairs: readonly CostPair[], ratio: number): number => {
  const step = stepOf(pairs);
  return signFlipP(pairs.map(({ before, after }) => Math.round((ratio * before - after) / step)));
};

/** The same for the other side: as dear. */
export const atLeastP = (pairs: readonly CostPair[], ratio: number): number => {
  const step = stepOf(pairs);
  return signFlipP(pairs.map(({ before, after }) => Math.round((after - ratio * before) / step)));
};

/** The ratio of the sums, with every ratio that neither test refuses; undefined where the earlier arm takes nothing. */
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

/** Where what holds at `inside` ends on the way to `outside`; the side where it holds. */
function border(inside: number, outside: number, holds: (ratio: number) => boolean): number {
  let [yes, no] = [inside, outside];
  for (let round = 0; round < 24 && Math.abs(yes - no) > 1e-4 * outside; round += 1) {
    const middle = (yes + no) / 2;
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** The exact table has about so many cells, and costs are rounded to one of them. */
const stepOf = (pairs: readonly CostPair[]): number =>
  pairs.reduce((all, { after }) => all + after, 0) / Math.max(4000, 40 * pairs.length) || 1;
