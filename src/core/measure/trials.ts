import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { gateScore } from "../gate/score.ts";
import type { Skill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import type { Purpose } from "../work/unit.ts";
import { scoreOf } from "./evaluate.ts";
import { checkPendingShare } from "./pending-share.ts";
import { type Rolled, type RolloutPlan, rollout } from "../stages/rollout.ts";

export interface TrialPlan {
  readonly split: SplitName;
  readonly tasks: readonly Task[];
  readonly purpose: Purpose;
  /** How many trials of each task. */
  readonly trials: number;
  /** The number of the first one: later ones are fresh draws of the same purpose. @default 0 */
  readonly from?: number;
  readonly place: Place;
  readonly onRolled?: RolloutPlan["onRolled"];
}

export interface Trials {
  /** By task: the gate's score of each trial, null where the result is missing. */
  readonly scores: readonly (readonly (number | null)[])[];
  /** By trial, then by task. */
  readonly rolled: readonly (readonly Rolled[])[];
}

/** Rolls every task several times, all at once: one arm of a claim. */
export async function rollTrials(
  skill: Skill,
  { split, tasks, purpose, trials, from = 0, place, onRolled }: TrialPlan,
  context: Context,
): Promise<Trials> {
  const { metric, mixedWeight } = context.settings;
  const rolling = Array.from({ length: trials }, (_, trial) =>
    rollout(skill, tasks, { split, draw: { purpose, trial: from + trial }, place, onRolled }, context),
  );
  const rolled = await Promise.all(rolling.map(async (promises) => Promise.all(promises)));
  checkPendingShare(rolled.flat(), place.stage, context.settings);
  const scores = tasks.map((_, index) =>
    rolled.map((trial) => {
      const one = trial[index];
      const score = one === undefined ? null : scoreOf(one.outcome);
      return score === null ? null : gateScore(score, metric, mixedWeight);
    }),
  );
  return { scores, rolled };
}
