import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { isFinished, meanDifference } from "../gate/claim/claim-pair.ts";
import {
  type LossScope,
  type NonInferiorityPlan,
  type NonInferioritySize,
  couldBeShown,
  isHopeless,
  lossBound,
  lossLimits,
  planLooks,
  planNonInferiority,
  tasksForNonInferiority,
  testNonInferiority,
} from "../gate/claim/non-inferiority.ts";
import { earnAlpha } from "../gate/claim/spend-alpha.ts";
import type { Skill } from "../skill/skill.ts";
import { hashJson } from "../canonical.ts";
import { skillIdentity } from "../skill/hash.ts";
import { type ArmCosts, armCosts, maxCostOf } from "../measure/arm-costs.ts";
import { countRead } from "../measure/claim-log.ts";
import { claimPairs } from "../measure/claim-pairs.ts";
import { rollPairs } from "../measure/roll-claim.ts";
import { checkPendingShare } from "../measure/pending-share.ts";
import { timed } from "../stages/timed.ts";
import type { Trials } from "../measure/trials.ts";
import type { Task } from "../tasks/task.ts";
import { prunePlace } from "./sift-rules.ts";

/** Whether the changed skill is worse by no more than the margin. */
export interface TestedLoss {
  readonly shown: boolean;
  /** Of "worse by the margin or more"; 1 where nothing was drawn. */
  readonly p: number;
  readonly alpha: number;
  readonly margin: number;
  /** The changed skill's mean score minus that of the skill that the margin counts from. */
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
  /** What a rollout takes with each of them. */
  readonly perRollout?: ArmCosts | undefined;
}

export interface SealedLoss extends TestedLoss {
  /** How often this test set has been read, this one included. */
  readonly read: number;
}

/** Trials per task and arm that a test may take, at most. */
export const mostTrials = 40;
/** A try that fails more often than this is not worth its calls. */
const leastPower = 0.5;

/** What is compared: the skill that the margin counts from, and the pruned one. */
export interface LossQuestion {
  readonly from: Skill;
  readonly candidate: Skill;
  readonly tasks: readonly Task[];
  /** The loss of mean score that is to be ruled out. */
  readonly margin: number;
  /** How often two trials of one task differ. */
  readonly flipRate: number;
}

/**
 * Both arms afresh, trial by trial, until the margin is shown or out of reach. Looking often costs nothing here: the
 * test holds at any moment.
 */
export async function testLoss(question: LossQuestion, context: Context): Promise<TestedLoss> {
  const { from, candidate, tasks } = question;
  const size = sizeOf(question, context.settings.sealedAlpha);
  const plan = planLooks(size);
  if (plan.power < leastPower) return tooNoisy(size, plan);
  const id = hashJson(["prune", skillIdentity(from), skillIdentity(candidate)]);
  const pairs = {
    before: from,
    after: candidate,
    tasks: tasks.map((task) => ({ task, split: "val" as const })),
    trials: mostTrials,
    purpose: "prune",
    id,
    place: prunePlace,
  } as const;
  let [before, after] = [noTrials(tasks), noTrials(tasks)];
  const run = async (): Promise<void> => {
    for (let drawn = 0; drawn < mostTrials; drawn += 1) {
      const { arms } = await rollPairs(pairs, { from: drawn, count: 1 }, context);
      const [one, other] = arms as readonly [Trials, Trials];
      checkPendingShare([...one.rolled.flat(), ...other.rolled.flat()], prunePlace.stage, context);
      [before, after] = [joinTrials(before, one), joinTrials(after, other)];
      const both = claimPairs(tasks, before.scores, after.scores);
      if (testNonInferiority(both, plan).shown || isHopeless(both, plan)) return;
      if (!couldBeShown(both, plan, mostTrials - drawn - 1)) return;
    }
  };
  await timed("evaluate", 0, 2 * tasks.length * mostTrials, run, context);
  return figuresOf(question, { before, after }, plan, context);
}

/** One reading of the test split, counted like any other. The claim is about tasks like these where that is in reach. */
export async function sealLoss(question: LossQuestion, context: Context): Promise<SealedLoss | undefined> {
  const { from, candidate, tasks: test, margin, flipRate } = question;
  const first = sizeOf(question, earnAlpha(context.settings.sealedAlpha, 1, []));
  if (!lossLimits(first).possible) return undefined;
  const trials = planSealedLoss(first).trials;
  const read = await countRead({ before: from, after: candidate, tasks: test, margin }, context);
  // a target that never differed draws nothing afresh
  const size = { ...first, alpha: flipRate === 0 ? read.steadyAlpha : read.alpha, most: trials };
  const plan = planSealedLoss(size);
  const place: Place = { role: "target", step: 0, stage: "test" };
  const tasks = test.map((task) => ({ task, split: "test" as const }));
  const pairs = {
    before: from,
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
  checkPendingShare([...before.rolled.flat(), ...after.rolled.flat()], place.stage, context);
  return { ...figuresOf(question, { before, after }, { ...plan, trials }, context), read: read.read };
}

const trialsForOthers = 10;

function planSealedLoss(size: NonInferioritySize): NonInferiorityPlan {
  const others = planNonInferiority(
    { ...size, most: Math.min(size.most, trialsForOthers) },
    "tasks like these",
  );
  return others.power >= 0.8 ? others : planNonInferiority(size, "these tasks");
}

const sizeOf = ({ tasks, margin, flipRate }: LossQuestion, alpha: number): NonInferioritySize => ({
  tasks: tasks.length,
  margin,
  alpha,
  flipRate,
  most: mostTrials,
});

function figuresOf(
  { from, candidate, tasks }: LossQuestion,
  { before, after }: Pick<TestedLoss, "before" | "after">,
  plan: NonInferiorityPlan,
  { settings }: Context,
): TestedLoss {
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
    perRollout: armCosts({
      tasks,
      before: { skill: from, trials: before },
      after: { skill: candidate, trials: after },
      alpha: plan.alpha,
      maxCost: maxCostOf(settings),
    }),
  };
}

function tooNoisy(size: NonInferioritySize, { scope, margin, alpha }: NonInferiorityPlan): TestedLoss {
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
