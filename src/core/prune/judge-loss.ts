import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { isFinished, meanDifference } from "../gate/claim/claim-pair.ts";
import {
  type LossScope,
  type NonInferiorityPlan,
  type NonInferioritySize,
  couldBeShown,
  lossBound,
  lossLimits,
  planNonInferiority,
  tasksForNonInferiority,
  testNonInferiority,
} from "../gate/claim/non-inferiority.ts";
import { earnAlpha } from "../gate/claim/spend-alpha.ts";
import type { Skill } from "../skill/skill.ts";
import { hashJson } from "../canonical.ts";
import { skillIdentity } from "../skill/hash.ts";
import { countRead } from "../measure/claim-log.ts";
import { claimPairs } from "../measure/claim-pairs.ts";
import { rollPairs } from "../measure/roll-claim.ts";
import { checkPendingShare } from "../measure/pending-share.ts";
import { timed } from "../stages/timed.ts";
import type { Trials } from "../measure/trials.ts";
import type { Task } from "../tasks/task.ts";
import { type WholeSkill, firstUnusedTrial, prunePlace } from "./measure-change.ts";

/** Whether the changed skill is worse by no more than the margin. */
export interface JudgedLoss {
  readonly shown: boolean;
  /** Of "worse by the margin or more"; 1 where nothing was drawn. */
  readonly p: number;
  readonly alpha: number;
  readonly margin: number;
  /** The changed skill's mean score minus the original's. */
  readonly difference: number;
  /** The loss lies above this, at the level 1 − alpha. */
  readonly low: number;
  readonly scope: LossScope;
  readonly tasks: number;
  /** Per task and arm; 0 when it was too noisy to try. */
  readonly trials: number;
  /** Set when no affordable number of trials would do: the tasks that would. */
  readonly tasksNeeded?: number;
  readonly before: Trials;
  readonly after: Trials;
}

export interface SealedLoss extends JudgedLoss {
  /** How often this test set has been read, this one included. */
  readonly read: number;
}

/** Trials per task and arm that a judgement may take, at most. */
export const mostTrials = 20;
/** Without measured noise. */
const assumedFlipRate = 0.2;
/** A try that fails more often than this is not worth its calls. */
const leastPower = 0.5;

type LossSize = Pick<NonInferioritySize, "tasks" | "margin"> & { readonly flipRate: number | null };

/**
 * Both arms afresh, trial by trial, until the margin is shown or out of reach. Looking often costs nothing here: the
 * test holds at any moment.
 */
export async function judgeOnVal(
  { skill, val, trials }: WholeSkill,
  candidate: Skill,
  loss: LossSize,
  context: Context,
): Promise<JudgedLoss> {
  const size = sizeOf(loss, context.settings.sealedAlpha);
  const plan = planNonInferiority(size, "these tasks");
  if (plan.power < leastPower) return tooNoisy(size, plan);
  // bad luck may take more than what is planned
  const block = Math.ceil(plan.trials / 4);
  const from = firstUnusedTrial(trials);
  let [before, after] = [noTrials(val), noTrials(val)];
  const id = hashJson(["prune", skillIdentity(skill), skillIdentity(candidate)]);
  const tasks = val.map((task) => ({ task, split: "val" as const }));
  const pairs = {
    before: skill,
    after: candidate,
    tasks,
    trials,
    purpose: "prune",
    id,
    place: prunePlace,
  } as const;
  const run = async (): Promise<void> => {
    for (let drawn = 0; drawn < mostTrials; ) {
      const count = Math.min(block, mostTrials - drawn);
      const [one, other] = (await rollPairs(pairs, { from: from + drawn, count }, context)).arms as readonly [
        Trials,
        Trials,
      ];
      checkPendingShare([...one.rolled.flat(), ...other.rolled.flat()], prunePlace.stage, context.settings);
      [before, after] = [joinTrials(before, one), joinTrials(after, other)];
      drawn += count;
      const both = claimPairs(val, before.scores, after.scores);
      if (testNonInferiority(both, plan).shown || !couldBeShown(both, plan, mostTrials - drawn)) return;
    }
  };
  await timed("evaluate", 0, 2 * val.length * plan.trials, run, context);
  return judge(val, before, after, plan);
}

/** One reading of the test split, counted like any other. The claim is about tasks like these where that is in reach. */
export async function sealLoss(
  original: Skill,
  candidate: Skill,
  test: readonly Task[],
  { margin, flipRate }: Pick<LossSize, "margin" | "flipRate">,
  context: Context,
): Promise<SealedLoss | undefined> {
  const first = sizeOf(
    { tasks: test.length, margin, flipRate },
    earnAlpha(context.settings.sealedAlpha, 1, []),
  );
  if (!lossLimits(first).possible) return undefined;
  const trials = planSealedLoss(first).trials;
  const read = await countRead({ before: original, after: candidate, tasks: test, margin }, context);
  // a target that never differed draws nothing afresh
  const size = { ...first, alpha: flipRate === 0 ? read.steadyAlpha : read.alpha, most: trials };
  const plan = planSealedLoss(size);
  const place: Place = { role: "target", step: 0, stage: "test" };
  const tasks = test.map((task) => ({ task, split: "test" as const }));
  const pairs = {
    before: original,
    after: candidate,
    tasks,
    trials,
    purpose: "prune",
    id: read.id,
    place,
  } as const;
  const rollBoth = () => rollPairs(pairs, { from: 0, count: trials }, context);
  const { arms } = await timed("test", 0, 2 * test.length * trials, rollBoth, context);
  const [before, after] = arms as readonly [Trials, Trials];
  checkPendingShare([...before.rolled.flat(), ...after.rolled.flat()], place.stage, context.settings);
  return { ...judge(test, before, after, { ...plan, trials }), read: read.read };
}

const trialsForOthers = 10;

function planSealedLoss(size: NonInferioritySize): NonInferiorityPlan {
  const others = planNonInferiority(
    { ...size, most: Math.min(size.most, trialsForOthers) },
    "tasks like these",
  );
  return others.power >= 0.8 ? others : planNonInferiority(size, "these tasks");
}

const sizeOf = ({ tasks, margin, flipRate }: LossSize, alpha: number): NonInferioritySize => ({
  tasks,
  margin,
  alpha,
  flipRate: flipRate ?? assumedFlipRate,
  most: mostTrials,
});

function judge(tasks: readonly Task[], before: Trials, after: Trials, plan: NonInferiorityPlan): JudgedLoss {
  const pairs = claimPairs(tasks, before.scores, after.scores);
  const { p, shown } = testNonInferiority(pairs, plan);
  return {
    shown,
    p,
    alpha: plan.alpha,
    margin: plan.margin,
    difference: meanDifference(pairs.filter(isFinished)),
    low: lossBound(pairs, plan),
    scope: plan.scope,
    tasks: pairs.length,
    trials: before.rolled.length,
    before,
    after,
  };
}

function tooNoisy(size: NonInferioritySize, { scope, margin, alpha }: NonInferiorityPlan): JudgedLoss {
  const empty: Trials = { scores: [], rolled: [] };
  return {
    shown: false,
    p: 1,
    alpha,
    margin,
    difference: 0,
    low: -1,
    scope,
    tasks: size.tasks,
    trials: 0,
    tasksNeeded: tasksForNonInferiority(size, scope),
    before: empty,
    after: empty,
  };
}

const noTrials = (tasks: readonly Task[]): Trials => ({ scores: tasks.map(() => []), rolled: [] });

const joinTrials = (one: Trials, other: Trials): Trials => ({
  scores: one.scores.map((scores, task) => [...scores, ...(other.scores[task] ?? [])]),
  rolled: [...one.rolled, ...other.rolled],
});
