/** Pass rate and partial credit, both in [0, 1]. */
export interface Score {
  readonly hard: number;
  readonly soft: number;
}

export type Metric = "hard" | "soft" | "mixed";

/**
 * The single number that a gate compares.
 *
 * @example
 * gateScore({ hard: 0.5, soft: 0.7 }, "mixed", 0.5); // 0.6
 */
export function gateScore(score: Score, metric: Metric, mixedWeight: number): number {
  if (metric === "mixed") return (1 - mixedWeight) * score.hard + mixedWeight * score.soft;
  return score[metric];
}

/**
 * The mean of scored rows; no rows give zero.
 *
 * @example
 * meanScore([{ hard: 1, soft: 1 }, { hard: 0, soft: 0.4 }]); // { hard: 0.5, soft: 0.7 }
 */
export function meanScore(rows: readonly Score[]): Score {
  const mean = (pick: (row: Score) => number | null | undefined) =>
    // result files of the original omit a metric or set it to null if it's zero
    rows.reduce((sum, row) => sum + (pick(row) ?? 0), 0) / Math.max(rows.length, 1);
  return { hard: mean((row) => row.hard), soft: mean((row) => row.soft) };
}
