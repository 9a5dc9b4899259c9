import { type Estimate, estimateScore } from "../gate/estimate-score.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Evaluation } from "./evaluate.ts";

/** The hard score of an evaluation with its 95 % interval, over what was sampled; null while results are missing. */
export function estimateEvaluation({ rolled, score }: Evaluation): Estimate | null {
  if (score === undefined) return null;
  const units = unitsOf(rolled.map(({ task }) => task));
  const sums = new Map<number, number>();
  let total = 0;
  rolled.forEach(({ task: { weight = 1 }, outcome }, at) => {
    if (outcome.kind !== "scored") return;
    const unit = units[at] ?? at;
    sums.set(unit, (sums.get(unit) ?? 0) + weight * outcome.hard);
    total += weight;
  });
  // each unit's part of the weighted mean, so that their mean is that mean
  const parts = [...sums.values()].map((sum) => (sum * sums.size) / (total || 1));
  const estimate = estimateScore(parts);
  return estimate === undefined ? null : { ...estimate, value: score.hard, tasks: rolled.length };
}
