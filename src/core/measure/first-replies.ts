import type { Context } from "../context.ts";
import { isHandoff } from "../work/handoff.ts";
import type { Skill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { checkReplies } from "./check-replies.ts";
import { type RolloutPlan, rollout } from "../stages/rollout.ts";
import { timed } from "../stages/timed.ts";

export interface PlannedRollout extends Pick<RolloutPlan, "split" | "draw" | "place"> {
  readonly task: Task;
}

const fewest = 10;

/**
 * The first few rollouts on their own: if none of them brings an answer, nothing else is bought. They're needed anyway,
 * so a healthy run only loses the moment it waits for them.
 */
export async function checkFirstReplies(
  skill: Skill,
  planned: readonly PlannedRollout[],
  context: Context,
): Promise<void> {
  // another manual round would cost more than they save
  if (isHandoff(context.models.target)) return;
  const first = planned.slice(0, fewest);
  const { step = 0, stage = "baseline" } = first[0]?.place ?? {};
  const roll = () => Promise.all(first.flatMap(({ task, ...plan }) => rollout(skill, [task], plan, context)));
  checkReplies(await timed(stage, step, first.length, roll, context), context, 1);
}
