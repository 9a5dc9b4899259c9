/** Repeated answers needed before a target counts as one that only repeats itself. */
const enoughRepeats = 24;

/** Trials rolled for each of these tasks before more are bought: enough to see whether anything varies. */
export const firstTrials = (tasks: number): number => 1 + Math.max(Math.ceil(enoughRepeats / (2 * tasks)), 1);

/** Every task had the same result in all its trials, in each arm: more would only repeat it. Arm → trial → task. */
export function isSteady<Result>(
  arms: readonly (readonly (readonly Result[])[])[],
  isSame: (one: Result, first: Result | undefined) => boolean,
): boolean {
  return arms.every(([first = [], ...others]) =>
    others.every((trial) => trial.every((one, task) => isSame(one, first[task]))),
  );
}
