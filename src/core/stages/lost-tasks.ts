import type { Context, Place } from "../context.ts";
import { type ClaimPair, isFinished } from "../gate/claim-pair.ts";
import { lostTasks, regressionCheck } from "../gate/regression-check.ts";
import type { Skill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { rollTrials } from "./trials.ts";

export interface LostTasksInput {
  readonly candidate: Skill;
  readonly incumbent: Skill;
  readonly tasks: readonly PlacedTask[];
  /** One for each task. */
  readonly pairs: readonly ClaimPair[];
  readonly step: number;
}

export interface PlacedTask {
  readonly split: SplitName;
  readonly task: Task;
}

/** A task that the incumbent always passed and the candidate never did. */
export interface LostTask {
  readonly task: string;
  /** Of its re-run; null when there were too few trials for one, or results are missing. */
  readonly p: number | null;
  readonly blocks: boolean;
}

/** No task left behind: what looks lost is re-run in both arms, and only the re-run counts. */
export async function checkLostTasks(
  { candidate, incumbent, tasks, pairs, step }: LostTasksInput,
  context: Context,
): Promise<readonly LostTask[]> {
  const place: Place = { role: "target", step, stage: "regression" };
  const lost = pairs.flatMap((pair, index) => {
    const placed = tasks[index];
    const [found] = isFinished(pair) ? lostTasks([pair]) : [];
    return placed === undefined || found === undefined ? [] : [{ ...placed, rerun: found.rerun }];
  });
  return Promise.all(
    lost.map(async ({ task, split, rerun }) => {
      if (rerun === 0) return { task: task.id, p: null, blocks: false };
      const plan = { split, tasks: [task], purpose: "regression", trials: rerun, place } as const;
      const [before, after] = await Promise.all([
        rollTrials(incumbent, plan, context),
        rollTrials(candidate, plan, context),
      ]);
      const pair = { incumbent: before.scores[0] ?? [], candidate: after.scores[0] ?? [] };
      if (!isFinished(pair)) return { task: task.id, p: null, blocks: false };
      return { task: task.id, ...regressionCheck(pair) };
    }),
  );
}
