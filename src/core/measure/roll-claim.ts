import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { fewestTasks } from "../gate/claim/claim-p.ts";
import { firstTrials, isSteady } from "../gate/steady.ts";
import type { Skill } from "../skill/skill.ts";
import { unitsOf } from "../tasks/clusters.ts";
import { type Scored, isLeftOut } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import type { Purpose } from "../work/unit.ts";
import { maxCostOf, pairedUses, skillTokens } from "./arm-costs.ts";
import { checkReplies } from "./check-replies.ts";
import { claimPairs, namedGroups } from "./claim-pairs.ts";
import { isHandoff } from "../work/handoff.ts";
import type { ClaimEvidence, PairsEvidence } from "../evidence.ts";
import { checkPendingShare } from "./pending-share.ts";
import type { Rolled } from "../stages/rollout.ts";
import { type PlacedTask, type SideBySide, rollSideBySide } from "./side-by-side.ts";
import { timed } from "../stages/timed.ts";
import type { Trials } from "./trials.ts";

export interface ClaimPlan {
  readonly before: Skill;
  readonly after: Skill;
  readonly tasks: readonly PlacedTask[];
  /** The most trials per task and arm. */
  readonly trials: number;
  readonly purpose: Purpose;
  /** The name that the draws are derived from. */
  readonly id: string;
  readonly place: Place;
  /** Nothing was requested from this target before: a few pairs go first, and unusable replies stop the run. @default false */
  readonly isFirst?: boolean;
}

/** Both arms of a claim, rolled pair by pair. */
export interface ClaimArms {
  readonly before: Trials;
  readonly after: Trials;
  /** The claim's input, except for its threshold. */
  readonly measured: Omit<ClaimEvidence, "bar" | "beside" | "seen" | "again">;
}

/**
 * Rolls the pairs of a claim. If the first trials of all tasks are the same in both arms, more would only repeat them.
 * The rule doesn't know which arm is ahead, so the test across tasks stays exact; claims from trials only become rarer.
 */
export async function rollClaim(plan: ClaimPlan, context: Context): Promise<ClaimArms> {
  const { tasks, trials, place } = plan;
  const asked = tasks.map(({ task }) => task);
  const variesWording = new Set(unitsOf(asked)).size < fewestTasks;
  const roll = (from: number, count: number) => rollPairs(plan, { from, count, variesWording }, context);
  if (plan.isFirst === true && !isHandoff(context.models.target)) {
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
  const steady = before.rolled.length > 1 && onlyRepeats(rolled);
  const measured = {
    ...pairsEvidence({ ...plan, tasks: asked }, { before, after }, context),
    // the target gave the same answers again: no more trials were bought, and repeats support no claim
    steady,
    models: [...new Set(scoredOf(before, after).flatMap(({ model }) => model ?? []))].toSorted(),
    order: rolled.order,
  };
  return { before, after, measured };
}

/** The measurements of two arms as plain data. */
export function pairsEvidence(
  {
    before: earlier,
    after: later,
    tasks,
  }: { readonly before: Skill; readonly after: Skill; readonly tasks: readonly Task[] },
  { before, after }: Pick<ClaimArms, "before" | "after">,
  { settings, leftOut }: Pick<Context, "settings" | "leftOut">,
): PairsEvidence {
  const maxCost = maxCostOf(settings);
  const repliesOf = (arm: Trials) => scoredOf(arm).flatMap(({ reply }) => reply ?? []);
  const unusable = { before: repliesOf(before), after: repliesOf(after) };
  const hosts = scoredOf(before, after).flatMap((outcome) => outcome.hosts ?? []);
  return {
    tasks: tasks.map(({ id }) => id),
    ...namedGroups(tasks),
    pairs: claimPairs(tasks, before.scores, after.scores, leftOut),
    uses: pairedUses(before, after),
    skillTokens: { before: skillTokens(earlier), after: skillTokens(later) },
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(unusable.before.length + unusable.after.length === 0
      ? {}
      : { unusable: { before: countEach(unusable.before), after: countEach(unusable.after) } }),
    hosts: countEach(hosts),
  };
}

const countEach = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...Map.groupBy(names.toSorted(), (name) => name)].map(([name, own]) => [name, own.length]),
  );

const scoredOf = (...arms: readonly Trials[]): readonly Scored[] =>
  arms.flatMap(({ rolled }) =>
    rolled.flat().flatMap(({ outcome }) => (outcome.kind === "scored" ? [outcome] : [])),
  );

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

const onlyRepeats = ({ arms }: SideBySide): boolean =>
  isSteady(
    arms.map(({ rolled }) => rolled),
    isSame,
  );

/** The same answer and the same score. Tasks that were left out say nothing. */
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
