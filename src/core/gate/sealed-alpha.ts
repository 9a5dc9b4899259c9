/** The alpha of the k-th read of one sealed test set: the sum over all reads never exceeds `alpha`. */
export function sealedAlpha(alpha: number, read: number): number {
  return (alpha * 6) / (Math.PI * read) ** 2;
}
