import { type Estimate, estimateScore, estimateShare } from "../gate/estimate-score.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Score } from "../gate/score.ts";
import { type Evaluation, weightedMean } from "./evaluate.ts";
import type { RateEvidence } from "../evidence.ts";

/** The measurements of an evaluation as plain data. */
export function rateEvidence({ rolled }: Pick<Evaluation, "rolled">): RateEvidence {
  const units = unitsOf(rolled.map(({ task }) => task));
  return rolled.map(({ task: { weight }, outcome }, at) => ({
    unit: units[at] ?? at,
    ...(weight === undefined ? {} : { weight }),
    hard: outcome.kind === "scored" ? outcome.hard : null,
    soft: outcome.kind === "scored" ? outcome.soft : null,
  }));
}

/** The weighted mean scores; undefined while results are missing. */
export function rateScore(rows: RateEvidence): Score | undefined {
  const scored = rows.flatMap(({ weight, hard, soft }) =>
    hard === null || soft === null ? [] : [{ task: { weight }, outcome: { hard, soft } }],
  );
  return scored.length < rows.length ? undefined : weightedMean(scored);
}

/** The hard score with its 95% interval, over independent samples; null while results are missing. */
export function estimateRate(rows: RateEvidence): Estimate | null {
  const score = rateScore(rows);
  if (score === undefined) return null;
  const parts = new Map<number, { sum: number; weight: number }>();
  for (const { unit, weight = 1, hard } of rows) {
    const part = parts.get(unit) ?? { sum: 0, weight: 0 };
    parts.set(unit, { sum: part.sum + weight * (hard as number), weight: part.weight + weight });
  }
  const all = [...parts.values()];
  const weights = all.map(({ weight }) => weight);
  const estimate =
    new Set(weights).size > 1
      ? estimateShare(score.hard, effective(weights))
      : estimateScore(all.map(({ sum, weight }) => sum / (weight || 1)));
  return estimate === undefined ? null : { ...estimate, value: score.hard, tasks: rows.length };
}

/** The number of equal units that would be as informative as these. */
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
