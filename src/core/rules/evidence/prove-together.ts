/** One wording that was ever measured. */
export interface WeighedProof {
  /** Its e-value. */
  readonly value: number;
  /** How often it was said before it was measured: frequent wishes need less evidence. Fixed from then on. */
  readonly weight: number;
}

/** The share of false proofs allowed on average. */
export const falseShare = 0.1;

/**
 * The numbers of the proven wordings, among all that were ever measured (weighted e-BH). Takes the largest k for which
 * k wordings have an e-value, times its weight over the mean weight, of at least all / (share · k). On average, at most
 * `share` of them are false, however they depend on one another.
 */
export function proveTogether(proofs: readonly WeighedProof[], share = falseShare): readonly number[] {
  const total = proofs.reduce((sum, { weight }) => sum + weight, 0);
  const strongest = proofs
    .map(({ value, weight }, at) => ({ at, part: (value * weight) / total }))
    .toSorted((a, b) => b.part - a.part);
  const last = strongest.findLastIndex(({ part }, nth) => part >= 1 / (share * (nth + 1)));
  return strongest.slice(0, last + 1).map(({ at }) => at);
}
