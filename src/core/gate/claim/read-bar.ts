import { earnAlpha, spendAlpha } from "./spend-alpha.ts";

/** An earlier reading of tasks for a claim. */
export interface EarlierRead {
  /** Hashes of the tasks that it read. */
  readonly tasks: readonly string[];
  /** Whether it ended in "better" or "worse". */
  readonly isFound: boolean;
}

export interface ReadBar {
  /** How often the tasks have been read, this one included: the most that any of them was. */
  readonly read: number;
  /** Numbers of the earlier reads that ended in "better" or "worse". */
  readonly found: readonly number[];
  /** The bar where both arms are drawn afresh, and where the target only repeats itself. */
  readonly alpha: number;
  readonly steadyAlpha: number;
}

/** What the next reading of these tasks is held to, after all earlier ones in their order. */
export function readBar(tasks: readonly string[], earlier: readonly EarlierRead[], alpha: number): ReadBar {
  const wanted = new Set(tasks);
  const counts = new Map<string, number>();
  for (const one of earlier)
    for (const hash of one.tasks) if (wanted.has(hash)) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  // the history that counts is that of the task that was read most
  const [most] = [...counts].toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  const history = most === undefined ? [] : earlier.filter((one) => one.tasks.includes(most[0]));
  const read = history.length + 1;
  const found = history.flatMap(({ isFound }, at) => (isFound ? [at + 1] : []));
  return { read, found, alpha: earnAlpha(alpha, read, found), steadyAlpha: spendAlpha(alpha, read) };
}
