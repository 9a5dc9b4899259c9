/** A rate that was counted, and the bar it is held to. */
export interface CountedRate {
  readonly count: number;
  readonly of: number;
  readonly bar: number;
  /** Whether it may not be above the bar, or not below it. */
  readonly side: "at most" | "at least";
}

/** A rate falls short only when chance alone, at the bar, would hardly ever go as far in any of so many cells. */
export function fallsShort({ count, of, bar, side }: CountedRate, cells: number): boolean {
  const p = side === "at most" ? atLeast(count, of, bar) : atLeast(of - count, of, 1 - bar);
  return p * cells < 0.01;
}

/** The chance of this count or more among so many, each with this chance. */
function atLeast(count: number, of: number, chance: number): number {
  if (count <= 0) return 1;
  // the logarithm of each term follows from the one before
  let log = of * Math.log1p(-chance);
  let below = Math.exp(log);
  for (let k = 1; k < count; k += 1) {
    log += Math.log((of - k + 1) / k) + Math.log(chance) - Math.log1p(-chance);
    below += Math.exp(log);
  }
  return Math.max(1 - below, 0);
}
