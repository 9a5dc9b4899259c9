import type { Context } from "../context.ts";
import { answersLate } from "../work/answers-late.ts";
import type { TrainSettings } from "../settings.ts";
import type { Skill } from "../skill/skill.ts";
import { planBatches } from "../tasks/batches.ts";
import type { Splits, Task } from "../tasks/task.ts";
import { checkReplies } from "./check-replies.ts";
import { type RolloutPlan, rollout } from "../stages/rollout.ts";
import { timed } from "../stages/timed.ts";

export interface PlannedRollout extends Pick<RolloutPlan, "split" | "draw" | "place"> {
  readonly task: Task;
}

/** What a training needs before anything else: the baseline, once, then the first batch. */
export function firstRollouts(splits: Splits, settings: TrainSettings): readonly PlannedRollout[] {
  const batchSize = settings.batchSize * settings.accumulation;
  const [[batch = []] = []] = planBatches(splits.train, { ...settings, batchSize });
  return [
    ...(settings.gate === "off" ? [] : splits.val).map((task) => ({
      task,
      split: "val" as const,
      draw: { purpose: "gate", trial: 0 } as const,
      place: { role: "target", step: 0, stage: "baseline" } as const,
    })),
    ...batch.map((task) => ({
      task,
      split: "train" as const,
      draw: { purpose: "train", trial: 0 } as const,
      place: { role: "target", step: 1, stage: "rollout" } as const,
    })),
  ];
}

const fewest = 10;

/**
 * The first few rollouts by themselves: where none of them brings an answer, nothing else is bought. They are needed
 * anyway, so a healthy run pays only the moment that it waits for them.
 */
export async function checkFirstReplies(
  skill: Skill,
  planned: readonly PlannedRollout[],
  context: Context,
): Promise<void> {
  // another round by hand, or hours of a batch, would cost more than they save
  if (answersLate(context)) return;
  const first = planned.slice(0, fewest);
  const { step = 0, stage = "baseline" } = first[0]?.place ?? {};
  const roll = () => Promise.all(first.flatMap(({ task, ...plan }) => rollout(skill, [task], plan, context)));
  checkReplies(await timed(stage, step, first.length, roll, context), context, 1);
}
