import type { ArchivedTask } from "./archive.ts";
import { likeness, resembles } from "../mine/likeness.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";

/** Other wordings of train tasks as separate tasks, at most this many of each. Val stays real. */
export function paraphraseTasks(
  train: readonly MinedTask[],
  perTask: number,
  val: readonly MinedTask[],
): readonly MinedTask[] {
  return train
    .flatMap((mined) =>
      mined.paraphrases.slice(0, perTask).map(
        (input, at): MinedTask => ({
          ...mined,
          task: { ...mined.task, id: `${mined.task.id}~${at + 1}`, input },
          paraphrases: [],
        }),
      ),
    )
    .filter((paraphrase) => !val.some((held) => resembles(paraphrase, held)));
}

/** The id of the task that a paraphrase rewords; any other task's own id. */
export const paraphrasedId = (id: string): string => id.replace(/~\d+$/, "");

export interface RecallInput {
  readonly count: number;
  /** Tonight's tasks. */
  readonly train: readonly MinedTask[];
  /** Tonight's tasks. */
  readonly val: readonly MinedTask[];
  readonly archive: readonly ArchivedTask[];
}

/** The archived train tasks most like tonight's, without any that resemble a val task of any night. */
export function recallTasks({ count, train, val, archive }: RecallInput): readonly MinedTask[] {
  const tonight = new Set([...train, ...val].map(({ task }) => task.id));
  const held = [...val, ...archive.filter(({ split }) => split === "val")];
  return archive
    .filter(({ split, task }) => split === "train" && !tonight.has(task.id))
    .map((mined) => ({ mined, alike: Math.max(0, ...train.map((other) => likeness(mined, other))) }))
    .filter(({ mined, alike }) => alike > 0 && !held.some((other) => resembles(mined, other)))
    .toSorted(
      (a, b) =>
        b.alike - a.alike || b.mined.times - a.mined.times || (a.mined.task.id < b.mined.task.id ? -1 : 1),
    )
    .slice(0, count)
    .map(({ mined }) => mined);
}
