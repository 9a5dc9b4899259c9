export interface FlipRate {
  /** Mean squared difference of two trials of one task: for pass/fail scores, how often they differ. */
  readonly rate: number;
  /** The same for each task; null where it had fewer than two trials. */
  readonly byTask: readonly (number | null)[];
  /** The share of tasks on which any two trials differed. */
  readonly unsteady: number;
}

/** How noisy a skill is against itself, from repeated trials of each task. */
export function flipRate(trials: readonly (readonly number[])[]): FlipRate {
  const byTask = trials.map(squaredDifference);
  const measured = byTask.filter((rate) => rate !== null);
  const tasks = Math.max(measured.length, 1);
  return {
    rate: measured.reduce((sum, rate) => sum + rate, 0) / tasks,
    byTask,
    unsteady: measured.filter((rate) => rate > 0).length / tasks,
  };
}

/** Over all pairs of trials, which is twice the sample variance. */
function squaredDifference(scores: readonly number[]): number | null {
  if (scores.length < 2) return null;
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return (2 * scores.reduce((sum, score) => sum + (score - mean) ** 2, 0)) / (scores.length - 1);
}
