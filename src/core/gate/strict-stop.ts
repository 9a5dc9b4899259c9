import type { StopDecision } from "./claim/early-stop.ts";
import { type Metric, type Score, gateScore } from "./score.ts";

export interface StrictStopInput {
  /** In the order of the evaluation; null for a task without a result yet. */
  readonly scores: readonly (Score | null)[];
  /** By task. @default all 1 */
  readonly weights?: readonly number[];
  readonly metric: Metric;
  readonly mixedWeight: number;
  /** The incumbent's score: only a higher one is accepted. */
  readonly bar: number;
}

/** Whether the strict gate's decision no longer depends on the missing results. */
export function strictStop({
  scores,
  weights = [],
  metric,
  mixedWeight,
  bar,
}: StrictStopInput): StopDecision {
  // sums follow the full evaluation's order: rounding is monotone, so the bounds are exact to the last bit
  const scoreIf = (missing: number): number => {
    let [hard, soft, total] = [0, 0, 0];
    scores.forEach((score, task) => {
      const weight = weights[task] ?? 1;
      hard += weight * (score?.hard ?? missing);
      soft += weight * (score?.soft ?? missing);
      total += weight;
    });
    if (total === 0) return 0;
    return gateScore({ hard: hard / total, soft: soft / total }, metric, mixedWeight);
  };
  if (!(scoreIf(1) > bar)) return "reject";
  return scoreIf(0) > bar ? "accept" : "continue";
}
