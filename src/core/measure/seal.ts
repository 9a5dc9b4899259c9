import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type ClaimLimits, claimLimits } from "../gate/claim/claim-limits.ts";
import { claimTrials } from "../gate/claim/claim-trials.ts";
import { type ClaimVerdict, claimVerdict } from "../gate/claim/claim-verdict.ts";
import { type Drift, clearDrift } from "../gate/claim/drift.ts";
import { earnAlpha } from "../gate/claim/spend-alpha.ts";
import type { TrainSettings } from "../settings.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Task } from "../tasks/task.ts";
import { claimSentence, noTestSentence, tooSmallSentence, unchangedSentence } from "../verdict-words.ts";
import { type ArmCosts, armCosts, maxCostOf } from "./arm-costs.ts";
import { type ClaimRead, countRead, noteFound } from "./claim-log.ts";
import { fallenTasks } from "./lost-tasks.ts";
import { type ClaimPlan, rollClaim, unfinished } from "./roll-claim.ts";
import type { Trials } from "./trials.ts";

/** What may be said about the best skill against the original. */
export type Sealed =
  | {
      readonly kind: "claimed";
      /** What its draws are named by. */
      readonly id: string;
      readonly claim: ClaimVerdict;
      /** How often these test tasks have been read, this one included, over all runs in the journal. */
      readonly read: number;
      /** Per task and arm. */
      readonly trials: number;
      readonly original: Trials;
      readonly best: Trials;
      /** Ids of tasks that the original always did well and the best never does. */
      readonly lost: readonly string[];
      /** Who answered, as the provider named itself. */
      readonly models: readonly string[];
      /** Ids of tasks that a person left out, which count as lost; and of those with results that may still come. */
      readonly leftOut: readonly string[];
      readonly missing: readonly string[];
      /** Set when the target moved during the run. */
      readonly drift?: Drift;
      /** What a rollout takes with each of them. */
      readonly perRollout?: ArmCosts | undefined;
    }
  /** The original stays, so there is nothing to claim and the test set was not read. */
  | { readonly kind: "unchanged" }
  /** Not even the best possible outcome could be a claim. */
  | { readonly kind: "refused"; readonly limits: ClaimLimits };

export interface SealedPlan {
  /** Per task and arm, at most. */
  readonly trials: number;
  /** Whether any outcome could be a claim; if none could, no arm is bought. */
  readonly limits: ClaimLimits;
}

/** What is fixed about the sealed test before its first rollout: at the bar of its read, which `alpha` is. */
export function planSealed(
  test: readonly Task[],
  settings: TrainSettings,
  alpha = earnAlpha(settings.sealedAlpha, 1, []),
): SealedPlan {
  const tasks = new Set(unitsOf(test)).size;
  const trials = claimTrials({ tasks, alpha, settings });
  return { trials, limits: claimLimits({ tasks, trials }, alpha) };
}

const place: Place = { role: "target", step: 0, stage: "test" };

export interface SealInput {
  readonly original: Skill;
  readonly best: Skill;
  readonly test: readonly Task[];
  /** Whether the search saw that the target varies. */
  readonly isNoisy: boolean;
  /** The original at the end of the run against its first measurement. */
  readonly bridge?: () => Promise<Drift | undefined>;
}

/** The sealed test: the only number reported as the gain. Both arms are rolled now, side by side. */
export async function seal(input: SealInput, context: Context): Promise<Sealed> {
  const { original, best, test, bridge } = input;
  const first = planSealed(test, context.settings);
  if (!first.limits.possible) return { kind: "refused", limits: first.limits };
  if (skillIdentity(original) === skillIdentity(best)) return { kind: "unchanged" };
  const read = await countRead({ before: original, after: best, tasks: test }, context);
  const [arms, moved] = await Promise.all([rollClaim(planOf(input, read, context), context), bridge?.()]);
  const claim = claimVerdict(arms.pairs, {
    alpha: arms.isFresh ? read.alpha : read.steadyAlpha,
    steady: arms.steady,
  });
  if (claim.verdict === "better" || claim.verdict === "worse") await noteFound(read, context);
  const looks = bridge === undefined ? 1 : 2;
  const drift = clearDrift(moved, looks) ?? clearDrift(arms.drift, looks);
  return {
    kind: "claimed",
    id: read.id,
    claim,
    read: read.read,
    trials: arms.before.rolled.length,
    original: arms.before,
    best: arms.after,
    models: arms.models,
    lost: fallenTasks(arms.pairs).flatMap((task) => test[task]?.id ?? []),
    ...unfinished(arms, test),
    drift,
    perRollout: armCosts({
      tasks: test,
      before: { skill: original, trials: arms.before },
      after: { skill: best, trials: arms.after },
      alpha: claim.alpha,
      steady: arms.steady,
      maxCost: maxCostOf(context.settings),
    }),
  };
}

function planOf(
  { original, best, test, isNoisy }: SealInput,
  { id, alpha }: ClaimRead,
  { settings }: Context,
): ClaimPlan {
  const { trials } = planSealed(test, settings, alpha);
  const tasks = test.map((task) => ({ task, split: "test" as const }));
  return { before: original, after: best, tasks, trials, purpose: "sealed", id, place, isNoisy };
}

/** What the sealed test says, in sentences that claim no more than it found. */
export function sealedSentence(sealed: Sealed | undefined): string {
  if (sealed === undefined) return noTestSentence;
  if (sealed.kind === "unchanged") return unchangedSentence;
  if (sealed.kind === "refused")
    return tooSmallSentence(sealed.limits.tasksNeeded, sealed.limits.trialsNeeded);
  const { claim, read, drift, lost, models, leftOut, missing, perRollout } = sealed;
  return claimSentence(claim, { read, drift, lost, models, leftOut, missing, perRollout });
}
