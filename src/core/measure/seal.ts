import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type ClaimLimits, claimLimits } from "../gate/claim/claim-limits.ts";
import { claimTrials } from "../gate/claim/claim-trials.ts";
import { firstBar } from "../gate/claim/account.ts";
import { type JudgeModels, relatedJudgeSentence } from "../judge/judge-family.ts";
import { usesJudge } from "../scorers/uses-kind.ts";
import type { TrainSettings } from "../settings.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Task } from "../tasks/task.ts";
import { noTestSentence, tooSmallSentence } from "../plan-words.ts";
import { claimSentence, unchangedSentence } from "../verdict-words.ts";
import type { AskedFacts } from "../asked-words.ts";
import { tryBlindAnswers } from "./blind-answers.ts";
import { claimId, countAsked, noteFound } from "./claim-log.ts";
import type { ClaimEvidence } from "../evidence.ts";
import { type ClaimFigures, claimFigures } from "./claim-figures.ts";
import { type ClaimPlan, rollClaim } from "./roll-claim.ts";
import type { Trials } from "./trials.ts";

/** The claim about the best skill against the original. */
export type Sealed =
  | (SealedFigures & {
      readonly kind: "claimed";
      /** The name that its draws are derived from. */
      readonly id: string;
      readonly original: Trials;
      readonly best: Trials;
      readonly evidence: ClaimEvidence;
    })
  /** The original stays, so there's nothing to claim and the test set wasn't read. */
  | { readonly kind: "unchanged" }
  /** Not even the best possible outcome could support a claim. */
  | { readonly kind: "refused"; readonly limits: ClaimLimits };

/** The figures of a sealed test. */
export interface SealedFigures extends ClaimFigures {
  /** Its number among the texts that were compared on these tasks, across the whole journal. */
  readonly read: number;
  readonly asked: AskedFacts;
  /** Per task and arm. */
  readonly trials: number;
  /** Ids of the tasks that helped make the best skill; missing if none did. */
  readonly seen?: readonly string[];
  /** Set if a judge related to the optimizer scored the optimizer's text. */
  readonly relatedJudge?: JudgeModels | undefined;
}

/** The same figures, computed from the measurements. */
export function sealedFigures(evidence: ClaimEvidence): SealedFigures {
  const { bar, pairs, seen } = evidence;
  return {
    ...claimFigures(evidence),
    read: bar.read,
    asked: bar,
    trials: pairs[0]?.candidate.length ?? 0,
    ...(seen.length === 0 ? {} : { seen }),
    ...(evidence.relatedJudge === undefined ? {} : { relatedJudge: evidence.relatedJudge }),
  };
}

export interface SealedPlan {
  /** The most trials per task and arm. */
  readonly trials: number;
  /** Whether any outcome could support a claim; if none could, no arm is bought. */
  readonly limits: ClaimLimits;
}

/** The fixed parts of the sealed test before its first rollout. `alpha` is the threshold of its read. */
export function planSealed(
  test: readonly Task[],
  settings: TrainSettings,
  alpha = firstBar(settings.sealedAlpha),
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
  /** Ids of tasks that helped make the best skill: then the claim is about these tasks alone. @default none */
  readonly seen?: readonly string[];
  /** All tasks of their file, which share an account. @default test */
  readonly file?: readonly Task[];
  /** The original at the end of the run against its first measurement. */
  readonly bridge?: (() => () => Promise<NonNullable<ClaimEvidence["again"]>>) | undefined;
}

/** The sealed test: the only number reported as the gain. Both arms are rolled now, side by side. */
export async function seal(input: SealInput, within: Context): Promise<Sealed> {
  const { original, best, test, file, seen = [], bridge } = input;
  const context = seen.length === 0 ? within : withFewTrials(within, test.length);
  const first = planSealed(test, context.settings);
  if (!first.limits.possible) return { kind: "refused", limits: first.limits };
  if (skillIdentity(original) === skillIdentity(best)) return { kind: "unchanged" };
  const asking = { before: original, after: best, tasks: test, file };
  const id = claimId(asking, context);
  const bar = { alpha: context.settings.sealedAlpha, ...(await countAsked(asking, id, context)) };
  const rolling = rollClaim(planOf(input, id, firstBar(bar.alpha, bar.pay), context), context);
  const begun = bridge?.();
  const arms = await rolling;
  const again = await begun?.();
  const { measured } = arms;
  const blind = await tryBlindAnswers({ ...arms, pairs: measured.pairs, tasks: test }, context);
  const related = relatedJudge(test, context);
  const evidence = { ...measured, blind, ...(again && { again }), bar, seen, ...related };
  // nobody reads a rehearsal's simulated results
  const shown = context.rehearsal === undefined ? evidence.pairs : evidence.pairs.slice(0, 1);
  const figures = sealedFigures({ ...evidence, pairs: shown });
  if (figures.claim.verdict === "better") await noteFound(asking, context);
  return { kind: "claimed", id, ...figures, original: arms.before, best: arms.after, evidence };
}

/** A claim about these tasks alone deserves fewer rollouts than a proof. */
function withFewTrials(context: Context, tasks: number): Context {
  const { settings } = context;
  if (settings.claimTrials !== "auto") return context;
  const claimTrials = Math.min(Math.max(2, Math.floor(fewRollouts / tasks)), 10);
  return { ...context, settings: { ...settings, claimTrials } };
}

/** For each arm. */
const fewRollouts = 50;

/** Related models of which one scores the other's text, and may favor it. */
function relatedJudge(test: readonly Task[], { models: { judge, optimizer } }: Context) {
  const models = { judge, optimizer };
  return usesJudge(test) && relatedJudgeSentence(models) !== undefined ? { relatedJudge: models } : {};
}

function planOf(
  { original, best, test }: SealInput,
  id: string,
  alpha: number,
  { settings }: Context,
): ClaimPlan {
  const planned = planSealed(test, settings, alpha);
  // if tasks have no account left for "better", "worse" may still be claimed
  const { trials } = planned.limits.possible ? planned : planSealed(test, settings);
  const tasks = test.map((task) => ({ task, split: "test" as const }));
  return { before: original, after: best, tasks, trials, purpose: "sealed", id, place };
}

/** Reports the sealed test in sentences that claim no more than it found. */
export function sealedSentence(sealed: Sealed | undefined): string {
  if (sealed === undefined) return noTestSentence;
  if (sealed.kind === "unchanged") return unchangedSentence;
  if (sealed.kind === "refused")
    return tooSmallSentence(sealed.limits.tasksNeeded, sealed.limits.trialsNeeded);
  return figuresSentence(sealed);
}

export const figuresSentence = ({ claim, fallen, ...notes }: SealedFigures): string =>
  claimSentence(claim, { ...notes, lost: fallen });
