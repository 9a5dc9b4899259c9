import { WhetstoneError } from "../errors.ts";
import type { Splits, Task } from "./task.ts";

const isDraft = ({ draft }: Task): boolean => draft === true;

/** Unreviewed drafts may be practised on; nothing is judged by them. */
export function divideReviewed(
  tasks: readonly Task[],
  divide: (reviewed: readonly Task[]) => Splits,
): Splits {
  const drafts = tasks.filter(isDraft);
  if (drafts.length === 0) return divide(tasks);
  if (drafts.length === tasks.length) throw allDrafts(tasks.length);
  const { train, val, test } = divide(tasks.filter((task) => !isDraft(task)));
  return { train: [...train, ...drafts], val, test };
}

/** The same for tasks that somebody divided by hand: a draft in val or test is left out. */
export function dropDraftGates({ train, val, test }: Splits): Splits {
  const reviewed = { val: val.filter((task) => !isDraft(task)), test: test.filter((task) => !isDraft(task)) };
  if (val.length > 0 && reviewed.val.length === 0) throw allDrafts(val.length);
  return { train, ...reviewed };
}

const allDrafts = (count: number): WhetstoneError =>
  new WhetstoneError("tasks-invalid", `All ${count} tasks are drafts that nobody has reviewed.`, {
    hint: 'Read them, mend them, and remove `"draft": true` from each one that you stand behind.',
  });
