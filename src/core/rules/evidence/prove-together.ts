/** One wording that was ever measured. */
export interface WeighedProof {
  /** Its e-value. */
  readonly value: number;
  /** How often it was said before it was measured: what is said often is believed sooner. Fixed since then. */
  readonly weight: number;
}

/** The false share that may be among the proven, on average. */
export const falseShare = 0.1;

/**
 * Which of all wordings that were ever measured are proven, by number (weighted e-BH): the k of them whose e-value times its
 * weight, over the mean weight, is at least all / (share · k), for the largest such k. The false share among them is at most
 * `share` on average, however they depend on one another.
 */
export function proveTogether(proofs: readonly WeighedProof[], share = falseShare): readonly number[] {
  const total = proofs.reduce((sum, { weight }) => sum + weight, 0);
  const strongest = proofs
    .map(({ value, weight }, at) => ({ at, part: (value * weight) / total }))
    .toSorted((a, b) => b.part - a.part);
  const last = strongest.findLastIndex(({ part }, nth) => part >= 1 / (share * (nth + 1)));
  return strongest.slice(0, last + 1).map(({ at }) => at);
}
