/** The chance of at least `hits` in `trials` at this rate; of at most `hits` with `below`. */
export function binomialTail(hits: number, trials: number, rate: number, side: "above" | "below"): number {
  let [sum, log] = [0, trials * Math.log1p(-rate)];
  for (let count = 0; count <= trials; count += 1) {
    if (side === "above" ? count >= hits : count <= hits) sum += Math.exp(log);
    log += Math.log((trials - count) / (count + 1)) + Math.log(rate / (1 - rate));
  }
  return Math.min(sum, 1);
}

/**
 * Whether a rate falls short of its bar: the exact one-sided binomial p against the bar, times the number of cells, is below
 * 1%. `most`: it may not be above; `least`: not below.
 */
export function fallsShort(
  { hits, trials }: { readonly hits: number; readonly trials: number },
  bar: { readonly most: number } | { readonly least: number },
  cells: number,
): boolean {
  const p =
    "most" in bar
      ? binomialTail(hits, trials, bar.most, "above")
      : binomialTail(hits, trials, bar.least, "below");
  return p * cells < 0.01;
}
