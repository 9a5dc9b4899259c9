import { type Estimate, estimateScore, estimateShare } from "../gate/estimate-score.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Evaluation } from "./evaluate.ts";

/** The hard score of an evaluation with its 95 % interval, over what was sampled; null while results are missing. */
export function estimateEvaluation({ rolled, score }: Evaluation): Estimate | null {
  if (score === undefined) return null;
  const units = unitsOf(rolled.map(({ task }) => task));
  const parts = new Map<number, { sum: number; weight: number }>();
  rolled.forEach(({ task: { weight = 1 }, outcome }, at) => {
    if (outcome.kind !== "scored") return;
    const part = parts.get(units[at] ?? at) ?? { sum: 0, weight: 0 };
    parts.set(units[at] ?? at, { sum: part.sum + weight * outcome.hard, weight: part.weight + weight });
  });
  const all = [...parts.values()];
  const weights = all.map(({ weight }) => weight);
  const estimate =
    new Set(weights).size > 1
      ? estimateShare(score.hard, effective(weights))
      : estimateScore(all.map(({ sum, weight }) => sum / (weight || 1)));
  return estimate === undefined ? null : { ...estimate, value: score.hard, tasks: rolled.length };
}

/** As many equal units would say as much as these. */
function effective(weights: readonly number[]): number {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return (
    sum ** 2 /
    Math.max(
      weights.reduce((total, weight) => total + weight ** 2, 0),
      1e-12,
    )
  );
}
