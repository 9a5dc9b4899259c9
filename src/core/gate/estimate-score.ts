import { z95 } from "../shown-level.ts";

/** A figure with its interval, at the one level used everywhere. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Tasks behind it. */
  readonly tasks: number;
}

/** The mean over tasks with its interval; undefined without tasks. A task counts once, however many trials it had. */
export function estimateScore(taskMeans: readonly number[]): Estimate | undefined {
  const tasks = taskMeans.length;
  if (tasks === 0) return undefined;
  const value = taskMeans.reduce((sum, mean) => sum + mean, 0) / tasks;
  if (tasks === 1 || taskMeans.every((mean) => mean === 0 || mean === 1)) return estimateShare(value, tasks);
  const variance = taskMeans.reduce((sum, mean) => sum + (mean - value) ** 2, 0) / (tasks - 1);
  return around(value, z95 * Math.sqrt(variance / tasks), tasks);
}

/** The Wilson interval for a share of tasks. Graded scores with the same mean vary less, so it holds for them too. */
export function estimateShare(value: number, tasks: number): Estimate {
  if (tasks === 0) return { value, low: 0, high: 1, tasks };
  const z = z95 ** 2 / tasks;
  const middle = (value + z / 2) / (1 + z);
  const half = (z95 / (1 + z)) * Math.sqrt((value * (1 - value)) / tasks + z / (4 * tasks));
  return {
    value,
    low: Math.max(Math.min(middle - half, value), 0),
    high: Math.min(Math.max(middle + half, value), 1),
    tasks,
  };
}

/** A score with its margin of error, kept within the range of a score. */
export function around(value: number, half: number, tasks: number): Estimate {
  const within = (score: number) => Math.min(Math.max(score, 0), 1);
  return { value: within(value), low: within(value - half), high: within(value + half), tasks };
}
