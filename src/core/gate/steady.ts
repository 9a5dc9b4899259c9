/** Answers that must have come again before a target is taken for one that only repeats itself. */
const enoughRepeats = 24;

/** So many trials of each of these tasks are rolled before more are bought: enough to see whether anything varies. */
export const firstTrials = (tasks: number): number => 1 + Math.max(Math.ceil(enoughRepeats / (2 * tasks)), 1);

/** Every task came to the same in all its trials, in each arm: more would only repeat them. Arm → trial → task. */
export function isSteady<Result>(
  arms: readonly (readonly (readonly Result[])[])[],
  isSame: (one: Result, first: Result | undefined) => boolean,
): boolean {
  return arms.every(([first = [], ...others]) =>
    others.every((trial) => trial.every((one, task) => isSame(one, first[task]))),
  );
}
