/** Between a careful low and a careful high. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export const range = (low: number, high = low): Range => ({ low, high });

export const multiplyRanges = (one: Range, other: Range): Range => ({
  low: one.low * other.low,
  high: one.high * other.high,
});
