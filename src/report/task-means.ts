import { type Metric, gateScore } from "../core/gate/score.ts";
import type { ResultSet } from "./run-folder.ts";

/** How hard and soft scores become one number. */
export interface ScoreWeights {
  readonly metric: Metric;
  readonly mixedWeight: number;
}

export const byHard: ScoreWeights = { metric: "hard", mixedWeight: 0 };

// every later step needs the means of its incumbents again
const known = new WeakMap<ResultSet, { readonly scoring: ScoreWeights; readonly means: TaskMeans }>();

export type TaskMeans = ReadonlyMap<string, number>;

/** The mean score of each task over its trials; tasks without a result are left out. */
export function taskMeans(sets: readonly ResultSet[], scoring: ScoreWeights): TaskMeans {
  const [only, second] = sets;
  if (only === undefined || second !== undefined) return computeMeans(sets, scoring);
  const earlier = known.get(only);
  if (earlier?.scoring.metric === scoring.metric && earlier.scoring.mixedWeight === scoring.mixedWeight)
    return earlier.means;
  const means = computeMeans(sets, scoring);
  known.set(only, { scoring, means });
  return means;
}

function computeMeans(sets: readonly ResultSet[], { metric, mixedWeight }: ScoreWeights): TaskMeans {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { ids, hard, soft } of sets) {
    for (const [row, id] of ids.entries()) {
      const [one, other] = [hard[row], soft[row]];
      if (one == null || other == null) continue;
      const score = gateScore({ hard: one, soft: other }, metric, mixedWeight);
      const sum = sums.get(id);
      if (sum === undefined) sums.set(id, { sum: score, count: 1 });
      else {
        sum.sum += score;
        sum.count += 1;
      }
    }
  }
  return new Map(Array.from(sums, ([id, { sum, count }]) => [id, sum / count]));
}
