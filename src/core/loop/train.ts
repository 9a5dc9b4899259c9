import { type TrainPlan, type Baselines, isSealed, startEarly } from "./start-early.ts";
import type { Context } from "../context.ts";
import { noteMade, noteSides } from "../measure/claim-log.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import { checkFirstReplies, firstRollouts } from "../measure/first-replies.ts";
import { measureAgain } from "../measure/measure-again.ts";
import { type Sealed, seal } from "../measure/seal.ts";
import { type WeighedOneShot, weighOneShot } from "../measure/weigh-one-shot.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import type { TriggerReport } from "../triggers/trigger-figures.ts";
import { startGate } from "./decide.ts";
import { endSearch } from "./end-search.ts";
import type { StepRecord } from "../step-record.ts";
import { type EpochSummary, search } from "./search.ts";
import type { Standing } from "./standing.ts";
import { countProposals, countSteps } from "./turns.ts";
import type { RuleTable } from "../rules/rule-table.ts";
import type { Rolled } from "../stages/rollout.ts";
import { confirmedSentence, endedSentence } from "../verdict-words.ts";

export interface TrainResult extends Standing {
  readonly original: Skill;
  /** The original on val; missing with `gate: off`. */
  readonly baseline?: Evaluation;
  readonly baselineScore: number | null;
  readonly steps: readonly StepRecord[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly EpochSummary[];
  /** What each rule is worth, with the gate `rules`. */
  readonly rules?: RuleTable;
  /** The kept text on val at the search's end; empty where the original stays or that text was not rolled by itself. */
  readonly confirmed: readonly Rolled[];
  /** Missing without a test split. */
  readonly sealed?: Sealed;
  readonly baselines?: Baselines;
  /** The one-shot rewrite next to the text that the search ended with; missing where it was not measured on test. */
  readonly oneShot?: WeighedOneShot;
  /** On the description track. */
  readonly triggers?: TriggerReport;
  /** Steps that were planned. */
  readonly planned: number;
  /** Why the search ended before its last step. */
  readonly ended?: string;
}

/** A training run: measure the original, search for something better, seal what may be claimed. */
export async function trainSkill(plan: TrainPlan, context: Context): Promise<TrainResult> {
  const { skill, splits } = plan;
  await checkFirstReplies(skill, firstRollouts(splits, context.settings), context);
  await noteSides(splits, context);
  const early = startEarly(plan, context);

  const counts = { turns: early.turns.length, proposals: countProposals(early.turns, context.settings) };
  const { standing: start, baseline, val } = await startGate(skill, splits.val, counts, context);

  const { turns, first, onStep } = early;
  const given = { original: skill, splits: { ...splits, val }, turns, start, first, onStep };
  const leaks = await early.leaks;
  const found = await search({ ...given, leaks }, context);
  // a search that ended at once did not wait for it, but it is paid
  await first;

  const { standing, rules, confirmed, isNoisy } = await endSearch(
    { standing: found.standing, train: splits.train, val, leaks, step: found.steps.length },
    context,
  );
  const planned = countSteps(turns);
  tellEnd({ steps: found.steps, planned, ended: found.ended }, found.standing, standing, rules, context);
  const best = standing.best.skill;
  const bridge = baseline && (() => measureAgain(skill, baseline, context));
  const claim = { original: skill, best, test: splits.test, isNoisy, bridge };
  const sealed = isSealed(splits, context) ? await seal(claim, context) : undefined;
  // nothing made an original that stays
  if (standing.best.step > 0)
    await noteMade(best, { from: skill, tasks: [...splits.train, ...splits.val] }, context);
  const baselines = await early.baselines();
  const oneShot =
    sealed === undefined || baselines?.oneShot === undefined
      ? undefined
      : await weighOneShot(
          { original: skill, best, rewrite: baselines.oneShot, sealed, splits, leaks },
          context,
        );

  return {
    ...standing,
    original: skill,
    baseline,
    baselineScore: start.current.score,
    steps: found.steps,
    epochs: found.epochs,
    planned,
    ended: found.ended,
    rules,
    confirmed,
    sealed,
    baselines,
    oneShot,
  };
}

/** Why the search ended, and what the skill is then. */
function tellEnd(
  { steps, planned, ended }: Pick<TrainResult, "steps" | "planned" | "ended">,
  searched: Standing,
  { current, gate }: Standing,
  rules: RuleTable | undefined,
  { emit }: Context,
): void {
  const sentences = [endedSentence({ steps: steps.length, planned, ended })];
  if (gate.kind === "rules" && rules !== undefined) {
    const counts = { kept: gate.held.length, tried: rules.rules.length };
    sentences.push(confirmedSentence(counts, gate.baseScore, current.score ?? gate.baseScore));
  }
  const { step = 0, epoch = 0 } = steps.at(-1) ?? {};
  const isSame = skillIdentity(searched.current.skill) === skillIdentity(current.skill);
  const action = isSame ? "skip" : "accept";
  emit({
    type: "turn-end",
    turn: "end",
    step,
    epoch,
    action,
    reason: sentences.join(" "),
    score: current.score,
  });
}
