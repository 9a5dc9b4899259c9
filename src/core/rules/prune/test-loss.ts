import type { Context } from "../../context.ts";
import type { Place } from "../../place.ts";
import { isFinished, meanDifference } from "../../gate/claim/claim-pair.ts";
import { type WorstGroup, sharesThatMove, worstGroup } from "../../gate/claim/worst-group.ts";
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
} from "../../gate/claim/non-inferiority.ts";
import { firstBar } from "../../gate/claim/account.ts";
import { shownLevel } from "../../shown-level.ts";
import type { Skill } from "../../skill/skill.ts";
import { hashJson } from "../../canonical.ts";
import { skillIdentity } from "../../skill/hash.ts";
import { type ArmCosts, armCosts } from "../../measure/arm-costs.ts";
import { tryBlindAnswers } from "../../measure/blind-answers.ts";
import { claimId, countAsked } from "../../measure/claim-log.ts";
import { claimPairs } from "../../measure/claim-pairs.ts";
import type { LossEvidence } from "../../evidence.ts";
import { pairsEvidence, rollPairs } from "../../measure/roll-claim.ts";
import { checkPendingShare } from "../../measure/pending-share.ts";
import { timed } from "../../stages/timed.ts";
import type { Trials } from "../../measure/trials.ts";
import type { Task } from "../../tasks/task.ts";
import type { BlindFacts } from "../../blind-words.ts";
import { prunePlace } from "./sift-rules.ts";

/** Whether the changed skill is worse by no more than the margin. */
export interface TestedLoss extends LossFound {
  readonly before: Trials;
  readonly after: Trials;
  readonly evidence: LossEvidence;
}

/** The figures of a test for a loss. */
export interface LossFound {
  readonly shown: boolean;
  /** The p for "worse by the margin or more"; 1 if nothing was drawn. */
  readonly p: number;
  readonly alpha: number;
  readonly margin: number;
  /** The changed skill's mean score minus that of the skill that the margin is measured from. */
  readonly difference: number;
  /** The difference is above this: the low end of an interval at the shown level. */
  readonly low: number;
  readonly scope: LossScope;
  /** The largest share of tasks like these that may fall. */
  readonly couldFall: number;
  /** Set if tasks have groups. */
  readonly worst?: WorstGroup | undefined;
  readonly tasks: number;
  /** Per task and arm; 0 if it was too noisy to try. */
  readonly trials: number;
  /** Set if no affordable number of trials is enough: the number of tasks that would be. */
  readonly tasksNeeded?: number;
  /** The cost of a rollout with each of them. */
  readonly perRollout?: ArmCosts | undefined;
  /** The number of results from each host. */
  readonly hosts: LossEvidence["hosts"];
}

export interface SealedLoss extends TestedLoss, BlindFacts {
  /** Its number among the texts that were compared on these tasks. */
  readonly read: number;
}

/** The most trials per task and arm that a test may take. */
export const mostTrials = 40;
/** A test with less power than this isn't worth its calls. */
const leastPower = 0.5;

/** The comparison: the skill that the margin is measured from, and the pruned one. */
export interface LossQuestion {
  readonly from: Skill;
  readonly candidate: Skill;
  readonly tasks: readonly Task[];
  /** All tasks of their file, which share an account. @default tasks */
  readonly file?: readonly Task[];
  /** The loss of mean score to rule out. */
  readonly margin: number;
  /** How often two trials of one task differ. */
  readonly flipRate: number;
}

/**
 * Rolls both arms afresh, trial by trial, until the margin is shown or out of reach. Looking often costs nothing here,
 * because the test is valid at any moment.
 */
export async function testLoss(question: LossQuestion, context: Context): Promise<TestedLoss> {
  const { from, candidate, tasks } = question;
  const bar = { alpha: context.settings.sealedAlpha };
  const plan = planLooks(sizeOf({ ...question, bar }));
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
  if (plan.power >= leastPower) await timed("evaluate", 0, 2 * tasks.length * mostTrials, run, context);
  return tested(question, { before, after }, { bar }, context);
}

/** One reading of the test split, counted like any other. The claim is about tasks like these if that's within reach. */
export async function sealLoss(question: LossQuestion, context: Context): Promise<SealedLoss | undefined> {
  const { from, candidate, tasks: test, file, margin } = question;
  const { sealedAlpha } = context.settings;
  const first = sizeOf({ ...question, bar: { alpha: firstBar(sealedAlpha) } });
  if (!lossLimits(first).possible) return undefined;
  const { trials } = planSealedLoss(first);
  const asking = { before: from, after: candidate, tasks: test, file, margin };
  const id = claimId(asking, context);
  const bar = { alpha: sealedAlpha, ...(await countAsked(asking, id, context)) };
  const place: Place = { role: "target", step: 0, stage: "test" };
  const tasks = test.map((task) => ({ task, split: "test" as const }));
  const pairs = {
    before: from,
    after: candidate,
    tasks,
    trials,
    purpose: "prune",
    id,
    place,
  } as const;
  const rollBoth = () => rollPairs(pairs, { from: 0, count: trials }, context);
  const { arms } = await timed("test", 0, 2 * test.length * trials, rollBoth, context);
  const [before, after] = arms as readonly [Trials, Trials];
  checkPendingShare([...before.rolled.flat(), ...after.rolled.flat()], place.stage, context);
  const both = { tasks: test, before, after, pairs: claimPairs(test, before.scores, after.scores) };
  const blind = await tryBlindAnswers(both, context);
  return { ...tested(question, { before, after }, { bar, blind }, context), read: bar.read };
}

function tested(
  { from, candidate, tasks, margin, flipRate }: LossQuestion,
  arms: Pick<TestedLoss, "before" | "after">,
  { bar, blind = {} }: Pick<LossEvidence, "bar" | "blind">,
  context: Context,
): TestedLoss {
  const measured = pairsEvidence({ before: from, after: candidate, tasks }, arms, context);
  const evidence = { ...measured, margin, flipRate, bar, blind };
  return { ...lossFigures(evidence), ...arms, evidence };
}

/** All figures, computed from the measurements. Both a run and `verify` compute them here. */
export function lossFigures(
  evidence: LossEvidence,
): LossFound & BlindFacts & Partial<Pick<SealedLoss, "read">> {
  const { bar, blind } = evidence;
  const size = sizeOf(evidence);
  if (!("read" in bar)) {
    const plan = planLooks(size);
    return plan.power < leastPower ? tooNoisy(evidence, plan) : figuresOf(evidence, plan);
  }
  const { trials: most } = planSealedLoss({ ...size, alpha: firstBar(bar.alpha) });
  const alpha = bar.alpha * bar.share;
  return { ...figuresOf(evidence, planSealedLoss({ ...size, alpha, most })), ...blind, read: bar.read };
}

const trialsForOthers = 10;

function planSealedLoss(size: NonInferioritySize): NonInferiorityPlan {
  const others = planNonInferiority(
    { ...size, most: Math.min(size.most, trialsForOthers) },
    "tasks like these",
  );
  return others.power >= 0.8 ? others : planNonInferiority(size, "these tasks");
}

const sizeOf = ({
  tasks,
  margin,
  flipRate,
  bar,
}: Pick<LossEvidence, "margin" | "flipRate" | "bar"> & {
  readonly tasks: readonly unknown[];
}): NonInferioritySize => ({
  tasks: tasks.length,
  margin,
  alpha: bar.alpha,
  flipRate,
  most: mostTrials,
});

function figuresOf(evidence: LossEvidence, plan: NonInferiorityPlan): LossFound {
  const { pairs, hosts } = evidence;
  const { margin, alpha, scope } = plan;
  return {
    ...testNonInferiority(pairs, plan),
    alpha,
    margin,
    difference: meanDifference(pairs.filter(isFinished)),
    low: lossBound(pairs, { ...plan, alpha: (1 - shownLevel) / 2 }),
    scope,
    couldFall: sharesThatMove(pairs).couldFall,
    worst: worstGroup(pairs, evidence.groups ?? [], evidence.flipRate === 0),
    tasks: pairs.length,
    trials: pairs[0]?.candidate.length ?? 0,
    perRollout: armCosts({ ...evidence, alpha: Math.max(alpha, firstBar(evidence.bar.alpha)) }),
    hosts,
  };
}

function tooNoisy(evidence: LossEvidence, { scope, margin, alpha }: NonInferiorityPlan): LossFound {
  const size = sizeOf(evidence);
  return {
    shown: false,
    p: 1,
    alpha,
    margin,
    difference: 0,
    low: -1,
    scope,
    couldFall: 1,
    tasks: size.tasks,
    trials: 0,
    tasksNeeded: tasksForNonInferiority(size, scope),
    hosts: {},
  };
}

const noTrials = (tasks: readonly Task[]): Trials => ({ scores: tasks.map(() => []), rolled: [] });

const joinTrials = (one: Trials, other: Trials): Trials => ({
  scores: one.scores.map((scores, task) => [...scores, ...(other.scores[task] ?? [])]),
  rolled: [...one.rolled, ...other.rolled],
});
