/**
 * How noisy a skill is against itself: the mean squared difference between two trials of the same task. For pass/fail
 * scores, that's how often they differ.
 */
export function flipRate(trials: readonly (readonly number[])[]): number {
  const byTask = trials.filter(({ length }) => length > 1).map(squaredDifference);
  return byTask.reduce((sum, rate) => sum + rate, 0) / Math.max(byTask.length, 1);
}

/** Over all pairs of trials, which is twice the sample variance. */
function squaredDifference(scores: readonly number[]): number {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return (2 * scores.reduce((sum, score) => sum + (score - mean) ** 2, 0)) / (scores.length - 1);
}
