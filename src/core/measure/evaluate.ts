import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type Score, gateScore } from "../gate/score.ts";
import type { TrainSettings } from "../settings.ts";
import type { Skill } from "../skill/skill.ts";
import { type Pending, type Scored, isLeftOut, isUnjudged } from "../tasks/outcome.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import type { Draw } from "../work/unit.ts";
import { checkReplies } from "./check-replies.ts";
import { checkPendingShare, missingResults } from "./pending-share.ts";
import { type Rolled, rollout } from "../stages/rollout.ts";

/** A skill measured on a split. `score` is missing while results are, because a partial average isn't a score. */
export interface Evaluation {
  readonly rolled: readonly Rolled[];
  readonly pending: number;
  readonly score?: Score;
}

/**
 * Rolls a skill out once on each task, inside a verb. Tasks that were left out and have no result aren't included.
 *
 * @example
 * const measure = ({ skill, splits }: Resolved, context: Context) =>
 *   measureSkill(
 *     skill,
 *     "val",
 *     splits.val,
 *     { purpose: "baseline", trial: 0 },
 *     { role: "target", step: 0, stage: "evaluate" },
 *     context,
 *   );
 */
export async function measureSkill(
  skill: Skill,
  split: SplitName,
  tasks: readonly Task[],
  draw: Draw,
  place: Place,
  context: Context,
): Promise<Evaluation> {
  return staged(place, tasks.length, context, async () => {
    const all = await Promise.all(rollout(skill, tasks, { split, draw, place }, context));
    const rolled = all.filter(({ outcome }) => !isLeftOut(outcome));
    if (place.stage === "baseline") checkReplies(rolled, context);
    checkPendingShare(rolled, place.stage, context);
    return summarize(rolled);
  });
}

export interface BlockPlan {
  readonly skill: Skill;
  /** The tasks of val. */
  readonly tasks: readonly Task[];
  /** Task indices in a fixed order. */
  readonly order: readonly number[];
  readonly blockSize: number;
  readonly draw: Draw;
  readonly place: Place;
  /** The incumbent's score of each task. A task that couldn't be judged gets the same score, so it moves nothing. */
  readonly incumbent: readonly number[];
  /** Whether the rest is no longer needed, given the scores by task (null: none yet). */
  readonly isCertain: (scores: readonly (Score | null)[]) => boolean;
}

/** Evaluates block by block and stops once the rest can't matter. A task that was left out counts as failed. */
export async function evaluateInBlocks(
  { skill, tasks, order, blockSize, draw, place, incumbent, isCertain }: BlockPlan,
  context: Context,
): Promise<Evaluation & { readonly stopped: boolean }> {
  return staged(place, tasks.length, context, async () => {
    const scores: (Score | null)[] = tasks.map(() => null);
    const rolled: Rolled[] = [];
    for (let at = 0; at < order.length; at += blockSize) {
      const block = order.slice(at, at + blockSize);
      const blockTasks = block.flatMap((index) => tasks[index] ?? []);
      const plan = { split: "val", draw, place } as const;
      const results = await Promise.all(rollout(skill, blockTasks, plan, context));
      rolled.push(...results);
      block.forEach((index, nth) => {
        const { outcome } = results[nth] as Rolled;
        const same = isUnjudged(outcome) ? incumbent[index] : isLeftOut(outcome) ? 0 : undefined;
        scores[index] = same === undefined ? scoreOf(outcome) : { hard: same, soft: same };
      });
      if (rolled.length < order.length && isCertain(scores)) {
        return { rolled, pending: rolled.filter(isPending).length, stopped: true };
      }
    }
    checkPendingShare(rolled, place.stage, context);
    const pending = scores.filter((score) => score === null).length;
    const all = tasks.map((task, index) => ({ task, outcome: scores[index] ?? failed }));
    return { rolled, pending, stopped: false, ...(pending > 0 ? {} : { score: weightedMean(all) }) };
  });
}

async function staged<E extends Evaluation>(
  { step, stage }: Place,
  total: number,
  { clock, emit }: Context,
  run: () => Promise<E>,
): Promise<E> {
  const started = clock.now();
  emit({ type: "stage-start", step, stage, total });
  const evaluation = await run();
  const ms = clock.now() - started;
  const { pending, rolled, score } = evaluation;
  emit({ type: "stage-end", step, stage, total: rolled.length, pending, ms, ...score });
  return evaluation;
}

const isPending = ({ outcome }: Rolled): boolean => outcome.kind === "pending";

/** Only a scored outcome has one. */
export const scoreOf = (outcome: Scored | Pending): Score | null =>
  outcome.kind === "scored" ? { hard: outcome.hard, soft: outcome.soft } : null;

/** The score of an outcome that the gate uses; null if the result is missing. */
export function gateScoreOf(
  outcome: Scored | Pending,
  { metric, mixedWeight }: TrainSettings,
): number | null {
  const score = scoreOf(outcome);
  return score === null ? null : gateScore(score, metric, mixedWeight);
}

const failed: Score = { hard: 0, soft: 0 };

function summarize(rolled: readonly Rolled[]): Evaluation {
  const scored = rolled.flatMap(({ task, outcome }) => {
    if (outcome.kind === "scored") return [{ task, outcome }];
    return isLeftOut(outcome) ? [{ task, outcome: failed }] : [];
  });
  const pending = rolled.length - scored.length;
  if (pending > 0) return { rolled, pending };
  return { rolled, pending, score: weightedMean(scored) };
}

export function weightedMean(
  scored: readonly { readonly task: Pick<Task, "weight">; readonly outcome: Score }[],
): Score {
  let [hard, soft, total] = [0, 0, 0];
  for (const { task, outcome } of scored) {
    const weight = task.weight ?? 1;
    hard += weight * outcome.hard;
    soft += weight * outcome.soft;
    total += weight;
  }
  return total === 0 ? { hard: 0, soft: 0 } : { hard: hard / total, soft: soft / total };
}

/** The gate's score of an evaluation that everything else depends on. Without all results, the run stops. */
export function requireScore(evaluation: Evaluation, context: Context): number {
  const { settings } = context;
  if (evaluation.score === undefined) throw missingResults(evaluation.rolled, "baseline", context);
  return gateScore(evaluation.score, settings.metric, settings.mixedWeight);
}
