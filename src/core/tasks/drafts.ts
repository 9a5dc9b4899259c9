import { WhetstoneError } from "../errors.ts";
import { clusterTasks } from "./clusters.ts";
import type { Splits, Task } from "./task.ts";

const isDraft = ({ draft }: Task): boolean => draft === true;

/**
 * Divides tasks so that unreviewed drafts are only used for training, never for measuring. A draft that belongs with a
 * val or test task is left out, because training on it would give that task away.
 */
export function divideReviewed(
  tasks: readonly Task[],
  divide: (reviewed: readonly Task[]) => Splits,
): Splits {
  const drafts = tasks.filter(isDraft);
  if (drafts.length === 0) return divide(tasks);
  if (drafts.length === tasks.length) throw allDrafts(tasks.length);
  const { train, val, test } = divide(tasks.filter((task) => !isDraft(task)));
  const held = new Set([...val, ...test]);
  const free = new Set(
    clusterTasks(tasks)
      .filter((own) => !own.some((task) => held.has(task)))
      .flat(),
  );
  return { train: [...train, ...drafts.filter((draft) => free.has(draft))], val, test };
}

/** The same for tasks that a person divided: a draft in val or test is left out. */
export function dropDraftGates({ train, val, test }: Splits): Splits {
  const reviewed = { val: val.filter((task) => !isDraft(task)), test: test.filter((task) => !isDraft(task)) };
  if (val.length > 0 && reviewed.val.length === 0) throw allDrafts(val.length);
  return { train, ...reviewed };
}

const allDrafts = (count: number): WhetstoneError =>
  new WhetstoneError("tasks-invalid", `All ${count} tasks are unreviewed drafts.`, {
    hint: 'Review and correct them, then remove `"draft": true` from each one that you accept.',
  });
