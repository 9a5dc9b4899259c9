import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { fewestTasks } from "../gate/claim/claim-p.ts";
import { type ClaimPair, isFinished } from "../gate/claim/claim-pair.ts";
import { type Drift, driftOver } from "../gate/claim/drift.ts";
import { firstTrials, isSteady } from "../gate/steady.ts";
import type { Skill } from "../skill/skill.ts";
import { unitsOf } from "../tasks/clusters.ts";
import { isLeftOut } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import type { Purpose } from "../work/unit.ts";
import { checkReplies } from "./check-replies.ts";
import { claimPairs } from "./claim-pairs.ts";
import { answersLate } from "../work/answers-late.ts";
import { checkPendingShare } from "./pending-share.ts";
import type { Rolled } from "../stages/rollout.ts";
import { type BlockPlace, type PlacedTask, type SideBySide, rollSideBySide } from "./side-by-side.ts";
import { timed } from "../stages/timed.ts";
import type { Trials } from "./trials.ts";

export interface ClaimPlan {
  readonly before: Skill;
  readonly after: Skill;
  readonly tasks: readonly PlacedTask[];
  /** Per task and arm, at most. */
  readonly trials: number;
  readonly purpose: Purpose;
  /** What the draws are named by. */
  readonly id: string;
  readonly place: Place;
  /** Whether the target is known to vary. @default false */
  readonly isNoisy?: boolean;
  /** Nothing was asked of this target before: a few pairs go first, and stop a run whose replies nobody can use. @default false */
  readonly isFirst?: boolean;
}

/** Both arms of a claim, rolled pair by pair. */
export interface ClaimArms {
  readonly before: Trials;
  readonly after: Trials;
  /** One for each task, with its unit and its weight. */
  readonly pairs: readonly ClaimPair[];
  /** The target gave the same answers again: nothing more was bought, and nothing is claimed from repeats. */
  readonly steady: boolean;
  /** Whether the target is known to draw its answers anew; a single trial alone cannot tell. */
  readonly isFresh: boolean;
  /** Who answered, as the provider named itself: more than one name says that the model changed. */
  readonly models: readonly string[];
  /** How far the target moved while the pairs were rolled, as far as that can be told. */
  readonly drift?: Drift;
}

/**
 * Rolls the pairs of a claim. Where the first trials of all tasks are the same in both arms, more would only repeat them.
 * The rule does not know which arm is ahead, so the test over tasks stays exact; what is claimed from trials is claimed
 * less often by it, never more.
 */
export async function rollClaim(plan: ClaimPlan, context: Context): Promise<ClaimArms> {
  const { tasks, trials, place, isNoisy = false } = plan;
  const asked = tasks.map(({ task }) => task);
  const variesWording = new Set(unitsOf(asked)).size < fewestTasks;
  const roll = (from: number, count: number) => rollPairs(plan, { from, count, variesWording }, context);
  if (plan.isFirst === true && !answersLate(context)) {
    const few = await rollPairs(
      { ...plan, tasks: tasks.slice(0, fewPairs) },
      { from: 0, count: 1, variesWording },
      context,
    );
    checkReplies(
      few.arms.flatMap(({ rolled }) => rolled.flat()),
      context,
      1,
    );
  }
  const total = 2 * tasks.length * trials;
  const rolled = await timed(
    place.stage,
    place.step,
    total,
    async () => {
      const some = Math.min(trials, firstTrials(tasks.length));
      const first = await roll(0, some);
      return some === trials || onlyRepeats(first) ? first : join(first, await roll(some, trials - some));
    },
    context,
  );
  const [before, after] = rolled.arms as readonly [Trials, Trials];
  checkReplies([...before.rolled.flat(), ...after.rolled.flat()], context);
  checkPendingShare([...before.rolled.flat(), ...after.rolled.flat()], place.stage, context);
  const pairs = claimPairs(asked, before.scores, after.scores, context.leftOut);
  const drift = findDrift(rolled);
  const steady = before.rolled.length > 1 && onlyRepeats(rolled);
  return {
    before,
    after,
    pairs,
    steady,
    isFresh: isNoisy || (before.rolled.length > 1 && !steady),
    models: modelsOf([...before.rolled.flat(), ...after.rolled.flat()]),
    drift,
  };
}

/** Ids of the tasks without all their results: those that a person left out, and those that may still come. */
export function unfinished(
  { pairs }: Pick<ClaimArms, "pairs">,
  tasks: readonly Task[],
): { readonly leftOut: readonly string[]; readonly missing: readonly string[] } {
  const idsOf = (isWanted: boolean) =>
    pairs.flatMap((pair, task) =>
      isFinished(pair) || (pair.leftOut === true) !== isWanted ? [] : (tasks[task]?.id ?? []),
    );
  return { leftOut: idsOf(true), missing: idsOf(false) };
}

const fewPairs = 5;

/** Both skills on these tasks, pair by pair, as draws of one claim. */
export async function rollPairs(
  { before, after, tasks, purpose, id, place }: ClaimPlan,
  {
    from,
    count,
    variesWording = false,
  }: { readonly from: number; readonly count: number; readonly variesWording?: boolean },
  context: Context,
): Promise<SideBySide> {
  const draw = { purpose, claim: id };
  const arms = [before, after].map((skill) => ({ skill, draw, context }));
  const { seed } = context.settings;
  return rollSideBySide(arms, { tasks, trials: count, from, place, seed, variesWording });
}

const modelsOf = (rolled: readonly Rolled[]): readonly string[] =>
  [
    ...new Set(rolled.flatMap(({ outcome }) => (outcome.kind === "scored" ? (outcome.model ?? []) : []))),
  ].toSorted();

const onlyRepeats = ({ arms }: SideBySide): boolean =>
  isSteady(
    arms.map(({ rolled }) => rolled),
    isSame,
  );

/** The same answer and the same score. What was left out says nothing. */
function isSame({ outcome: one }: Rolled, again: Rolled | undefined): boolean {
  const other = again?.outcome;
  if (isLeftOut(one) || (other !== undefined && isLeftOut(other))) return true;
  if (one.kind !== "scored" || other?.kind !== "scored") return false;
  const answer = ({ conversation }: typeof one) => conversation.at(-1)?.content;
  return one.hard === other.hard && one.soft === other.soft && answer(one) === answer(other);
}

function join(first: SideBySide, rest: SideBySide): SideBySide {
  return {
    order: [...first.order, ...rest.order],
    arms: first.arms.map((arm, at) => {
      const more = rest.arms[at];
      return {
        rolled: [...arm.rolled, ...(more?.rolled ?? [])],
        scores: arm.scores.map((scores, task) => [...scores, ...(more?.scores[task] ?? [])]),
      };
    }),
  };
}

/** Blocks with a missing result tell nothing about time. */
function findDrift({ order, arms }: SideBySide): Drift | undefined {
  const scoreOf = ({ task, trial }: BlockPlace): number | undefined => {
    const scores = arms.map((arm) => arm.scores[task]?.[trial] ?? null);
    const known = scores.filter((score) => score !== null);
    return known.length < scores.length
      ? undefined
      : known.reduce((sum, score) => sum + score, 0) / known.length;
  };
  const blocks = order.flatMap((place) => {
    const score = scoreOf(place);
    return score === undefined ? [] : [{ task: place.task, score }];
  });
  return driftOver(blocks);
}
