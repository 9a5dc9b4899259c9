/** A range from a cautious low to a cautious high estimate. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export const range = (low: number, high = low): Range => ({ low, high });

export const multiplyRanges = (one: Range, other: Range): Range => ({
  low: one.low * other.low,
  high: one.high * other.high,
});
