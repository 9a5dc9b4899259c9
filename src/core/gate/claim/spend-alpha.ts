/** The part of the k-th look; all parts together are one. */
const part = (look: number): number => 6 / (Math.PI * look) ** 2;

/** The alpha of the k-th look at the same question: however often one looks, a false answer comes with chance `alpha` at most. */
export function spendAlpha(alpha: number, look: number): number {
  return alpha * part(look);
}

/** Of what may be spent at first; the rest is earned by the first discovery. */
const initial = 0.9;

/**
 * LORD++: the alpha of the k-th question asked of the same tasks, each with both arms drawn afresh. What was found earlier
 * earns alpha back, and of all that is found a share of `alpha` at most is false, on average. `found` holds the numbers of the
 * earlier questions that were answered with a discovery.
 */
export function earnAlpha(alpha: number, read: number, found: readonly number[]): number {
  const [first, ...later] = found.filter((at) => at < read);
  const earned =
    (first === undefined ? 0 : (1 - initial) * part(read - first)) +
    later.reduce((sum, at) => sum + part(read - at), 0);
  return alpha * (initial * part(read) + earned);
}
