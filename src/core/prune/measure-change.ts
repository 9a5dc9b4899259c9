import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type Interval, claimInterval } from "../gate/claim/claim-interval.ts";
import { searchP } from "../gate/claim/claim-p.ts";
import {
  type ClaimPair,
  type FinishedPair,
  isFinished,
  meanDifference,
  swapArms,
  taskDifference,
} from "../gate/claim/claim-pair.ts";
import { withinTaskP } from "../gate/claim/within-task.ts";
import type { Skill } from "../skill/skill.ts";
import { claimPairs } from "../measure/claim-pairs.ts";
import { type Trials, rollTrials } from "../measure/trials.ts";
import type { Task } from "../tasks/task.ts";
import { type RuleChange, changeRules } from "./change-rules.ts";

/** What changes are measured against: fresh draws of the whole skill on val. */
export interface WholeSkill {
  readonly skill: Skill;
  readonly val: readonly Task[];
  readonly trials: number;
  readonly arm: Trials;
}

export interface MeasuredChange {
  readonly changes: readonly RuleChange[];
  readonly skill: Skill;
  /** The score of the changed skill minus that of the whole one, and where it lies. */
  readonly difference: number;
  readonly interval: Interval;
  /** How the change was found to do harm; null when it was not. */
  readonly harm: Harm | null;
  /** Trials of each val task that were drawn before the answer was clear. */
  readonly trials: number;
  /** By task, null where a result is missing. */
  readonly scores: Trials["scores"];
}

export type Harm = "on the whole" | "on some tasks";

/** The chance that a harmless change is taken for harmful, over all looks. */
const harmAlpha = 0.01;
const looks = 4;

/** As many as for a task that a gate takes for lost, and enough for a single one to show: 1 / (12 choose 6) is below alpha. */
export const rerunTrials = (trials: number): number => Math.max(2 * trials, 6);

export const prunePlace: Place = { role: "target", step: 0, stage: "evaluate" };

/**
 * Draws the skill with these changes on val and looks for harm after the first trial, when a rule that is needed mostly
 * shows, and after the last. This only chooses what to propose; the proposal is judged on other draws.
 */
export async function measureChange(
  changes: readonly RuleChange[],
  whole: WholeSkill,
  context: Context,
): Promise<MeasuredChange> {
  const { val, trials, arm } = whole;
  const skill = changeRules(whole.skill, changes);
  const draw = (from: number, count: number) =>
    rollTrials(
      skill,
      { split: "val", tasks: val, purpose: "prune", trials: count, from, place: prunePlace },
      context,
    );
  const first = await draw(0, 1);
  const early = pairUp(val, arm, first);
  const seen = await findHarm(early, skill, whole, context);
  if (seen !== null || trials === 1)
    return { changes, skill, ...estimate(early), harm: seen, trials: 1, scores: first.scores };
  const rest = await draw(1, trials - 1);
  const scores = first.scores.map((one, task) => [...one, ...(rest.scores[task] ?? [])]);
  const pairs = pairUp(val, arm, { scores });
  const harm = await findHarm(pairs, skill, whole, context);
  return { changes, skill, ...estimate(pairs), harm, trials, scores };
}

function pairUp(
  tasks: readonly Task[],
  { scores: incumbents }: Trials,
  { scores }: Pick<Trials, "scores">,
): readonly ClaimPair[] {
  const asLong = incumbents.map((trials, task) => trials.slice(0, scores[task]?.length));
  return claimPairs(tasks, asLong, scores);
}

function estimate(pairs: readonly ClaimPair[]): Pick<MeasuredChange, "difference" | "interval"> {
  const finished = pairs.filter(isFinished);
  return { difference: meanDifference(finished), interval: claimInterval(finished, 0.95) };
}

/**
 * A rule often serves a few tasks only, and their loss drowns in the noise of all others. So tasks that look lost are
 * drawn again in both arms, and those draws alone are tested.
 */
async function findHarm(
  pairs: readonly ClaimPair[],
  skill: Skill,
  whole: WholeSkill,
  context: Context,
): Promise<Harm | null> {
  const alpha = harmAlpha / looks;
  const finished = pairs.filter(isFinished);
  if (finished.length > 0 && searchP(swapArms(finished)) <= alpha) return "on the whole";
  const suspects = whole.val.filter((_, task) => looksLost(pairs[task]));
  if (suspects.length === 0) return null;
  const plan = {
    split: "val",
    tasks: suspects,
    purpose: "prune",
    trials: rerunTrials(whole.trials),
    from: whole.trials,
    place: prunePlace,
  } as const;
  const [before, after] = await Promise.all([
    rollTrials(whole.skill, plan, context),
    rollTrials(skill, plan, context),
  ]);
  const again = pairUp(suspects, before, after).filter(isFinished);
  return again.length > 0 && withinTaskP(swapArms<number>(again)) <= alpha ? "on some tasks" : null;
}

const looksLost = (pair: ClaimPair | undefined): boolean =>
  pair !== undefined && isFinished(pair) && taskDifference(pair satisfies FinishedPair) <= -0.5;

/** The trial numbers from which on no draw was used to choose. */
export const firstUnusedTrial = (trials: number): number => trials + rerunTrials(trials);
