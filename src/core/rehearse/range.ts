/** Between a careful low and a careful high. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export const nothing: Range = { low: 0, high: 0 };

export const range = (low: number, high = low): Range => ({ low, high });

export const addRanges = (...ranges: readonly Range[]): Range =>
  ranges.reduce((sum, one) => ({ low: sum.low + one.low, high: sum.high + one.high }), nothing);

export const multiplyRanges = (one: Range, other: Range): Range => ({
  low: one.low * other.low,
  high: one.high * other.high,
});

export const middleOf = ({ low, high }: Range): number => (low + high) / 2;
