/** So many trials of every task are rolled before more are bought: two show whether anything varies. */
export const firstTrials = 2;

/** Every task came to the same in all its trials, in each arm: more would only repeat them. Arm → trial → task. */
export function isSteady<Result>(
  arms: readonly (readonly (readonly Result[])[])[],
  isSame: (one: Result, first: Result | undefined) => boolean,
): boolean {
  return arms.every(([first = [], ...others]) =>
    others.every((trial) => trial.every((one, task) => isSame(one, first[task]))),
  );
}
