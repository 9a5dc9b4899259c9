import { firstBar } from "../gate/claim/account.ts";
import { assumedFlipRate, claimTrials } from "../gate/claim/claim-trials.ts";
import { power } from "../gate/claim/power.ts";
import { remembered } from "../remembered.ts";
import { askedHash } from "./asked-hash.ts";
import { type Sides, defaultCounts, inContentOrder } from "./split.ts";
import type { Splits, Task } from "./task.ts";

/** All tasks, each once. If there are few, they're in both train and val. */
export const allTasks = (splits: Splits): readonly Task[] => [...new Set(Object.values(splits).flat())];

/**
 * Puts few tasks all into the search, because a sealed test on a third of them would find too little. Later tasks are kept
 * for the test until there are enough to divide. Undefined if there already are.
 */
export function shareTasks(tasks: readonly Task[], seen: Sides = new Map()): Splits | undefined {
  const isSharedBefore = (task: Task): boolean => {
    const sides = seen.get(askedHash(task));
    return sides?.has("train") === true && sides.has("val");
  };
  const before = inContentOrder(tasks.filter(isSharedBefore));
  const later = inContentOrder(tasks.filter((task) => !isSharedBefore(task)));
  if (before.length > 0 && later.length < 2 * lackingForTest(0))
    return { train: before, val: before, test: canTest(later.length) ? later : [] };
  if (tasks.length < 3 || canTest(defaultCounts(tasks.length).test)) return undefined;
  const all = inContentOrder(tasks);
  return { train: all, val: all, test: [] };
}

/** Whether the optimizer sees the tasks that the search measures rules on, because there are too few to hold any out. */
export const isShared = ({ train, val }: Pick<Splits, "train" | "val">): boolean =>
  val.length > 0 && val.every((task) => train.includes(task));

/** The tasks that the verdict is about: without a test split, the few of the search. */
export const claimedTasks = (splits: Splits): readonly Task[] =>
  splits.test.length === 0 && isShared(splits) ? splits.val : splits.test;

/** Whether a sealed test of this many tasks has at least 50% power for a gain of 30 points, at the usual threshold. */
export const canTest = (test: number): boolean => test >= surelyEnough || finds({ tasks: test });

/** How many tasks a sealed test lacks; 0 if there are enough. */
export function lackingForTest(test: number): number {
  let lacking = 0;
  while (!canTest(test + lacking)) lacking += 1;
  return lacking;
}

const surelyEnough = 30;

const finds = remembered(({ tasks }: { readonly tasks: number }): boolean => {
  const [alpha, seed] = [firstBar(0.05), 1];
  const trials = claimTrials({ tasks, alpha, settings: { claimTrials: "auto", seed } });
  const claim = { tasks, trials, alpha, flipRate: assumedFlipRate, seed };
  return power({ ...claim, effect: 0.3, word: "better" }) >= 0.5;
});
