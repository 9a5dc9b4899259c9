import { type TrainPlan, type Baselines, isSealed, startEarly } from "./start-early.ts";
import type { Context } from "../context.ts";
import { noteMade, noteSides } from "../measure/claim-log.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import { checkFirstReplies, firstRollouts } from "../measure/first-replies.ts";
import { measureAgain } from "../measure/measure-again.ts";
import { type Sealed, seal } from "../measure/seal.ts";
import type { FoundRules } from "../rules/compose-choice.ts";
import type { Skill } from "../skill/skill.ts";
import type { TriggerReport } from "../triggers/trigger-figures.ts";
import { startGate } from "./decide.ts";
import { endSearch } from "./end-search.ts";
import type { StepRecord } from "../step-record.ts";
import { type EpochSummary, search } from "./search.ts";
import { type Standing, isNoisy } from "./standing.ts";

export interface TrainResult extends Standing {
  readonly original: Skill;
  /** The original on val; missing with `gate: off`. */
  readonly baseline?: Evaluation;
  readonly baselineScore: number | null;
  readonly steps: readonly StepRecord[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly EpochSummary[];
  /** With `gate: rules`: what was found out about each rule. */
  readonly rules?: FoundRules;
  /** Missing without a test split. */
  readonly sealed?: Sealed;
  readonly baselines?: Baselines;
  /** On the description track. */
  readonly triggers?: TriggerReport;
  /** Why the search ended before its last step. */
  readonly ended?: string;
}

/** A training run: measure the original, search for something better, seal what may be claimed. */
export async function trainSkill(plan: TrainPlan, context: Context): Promise<TrainResult> {
  const { skill, splits } = plan;
  await checkFirstReplies(skill, firstRollouts(splits, context.settings), context);
  await noteSides(splits, context);
  const early = startEarly(plan, context);

  const { standing: start, baseline, val } = await startGate(skill, splits.val, context);
  early.stopScout();

  const course = { ...(await early.course), splits: { ...splits, val } };
  const found = await search({ ...course, start, onStep: early.onStep }, context);
  await early.rolled;

  const final = endSearch(found.standing, skill);
  const best = final.best.skill;
  const bridge = baseline && (() => measureAgain(skill, baseline, context));
  const claim = { original: skill, best, test: splits.test, isNoisy: isNoisy(found.standing), bridge };
  const sealed = isSealed(splits, context) ? await seal(claim, context) : undefined;
  // nothing made an original that stays
  if (final.best.step > 0) await noteMade(best, splits, context);

  return {
    ...final,
    original: skill,
    baseline,
    baselineScore: start.current.score,
    steps: found.steps,
    epochs: found.epochs,
    ended: found.ended,
    sealed,
    baselines: await early.baselines(),
  };
}
