import { type FinishedPair, taskDifference } from "./claim-pair.ts";
import { claimTest } from "./claim-p.ts";
import { gridSteps, toGrid } from "./grid.ts";
import { studentQuantile } from "./student-t.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
  /** The chance with which such intervals hold the truth. */
  readonly level: number;
}

/**
 * Where the mean difference lies: over tasks like these, or over exactly these tasks when they are few. Both are
 * Student intervals with a little added spread, so that a few equal results do not look like certainty.
 */
export function claimInterval(pairs: readonly FinishedPair[], level: number): Interval {
  if (pairs.length === 0) return { low: -1, high: 1, level };
  const { middle, error, freedom } =
    claimTest(pairs.length) === "within-task" ? onTheseTasks(pairs) : overTasks(pairs);
  const reach = studentQuantile((1 + level) / 2, freedom) * error;
  return { low: Math.max(middle - reach, -1), high: Math.min(middle + reach, 1), level };
}

interface Estimate {
  readonly middle: number;
  readonly error: number;
  readonly freedom: number;
}

/** Two invented tasks, one won and one lost by 1/√K, join the real ones (Bonett–Price when K = 1). */
function overTasks(pairs: readonly FinishedPair[]): Estimate {
  const count = pairs.length + 2;
  const trials = pairs.reduce((sum, { candidate }) => sum + candidate.length, 0) / pairs.length;
  let [sum, squares] = [0, 2 / trials];
  for (const pair of pairs) {
    const difference = taskDifference(pair);
    sum += difference;
    squares += difference * difference;
  }
  const middle = sum / count;
  const error = Math.sqrt((squares / count - middle * middle) / count);
  return { middle, error, freedom: count - 1 };
}

/** Only trials vary; each task's two arms share half a unit of added squares, the most that one trial each can have. */
function onTheseTasks(pairs: readonly FinishedPair[]): Estimate {
  let [sum, variance, freedom] = [0, 0, 0];
  for (const { incumbent, candidate } of pairs) {
    const trials = candidate.length;
    sum += taskDifference({ incumbent, candidate });
    variance += (squaresWithin(incumbent) + squaresWithin(candidate) + 0.5) / (trials * trials);
    freedom += 2 * (trials - 1);
  }
  const middle = sum / pairs.length;
  return { middle, error: Math.sqrt(variance) / pairs.length, freedom: Math.max(freedom, pairs.length) };
}

function squaresWithin(trials: readonly number[]): number {
  const values = trials.map((trial) => toGrid(trial) / gridSteps);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
