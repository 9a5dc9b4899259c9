import type { Context, Place } from "./context.ts";
import { WhetstoneError } from "./errors.ts";
import type { StepAction } from "./events.ts";
import { gateScore } from "./gate/score.ts";
import type { GateResult } from "./gate/strict.ts";
import { editBudget } from "./stages/edit-budget.ts";
import { type Evaluation, evaluate } from "./stages/evaluate.ts";
import type { TriedStep } from "./stages/optimizer-text.ts";
import type { Skill } from "./skill/skill.ts";
import { planBatches } from "./tasks/batches.ts";
import type { Splits } from "./tasks/task.ts";
import { type StepRecord, trainStep } from "./train-step.ts";

export interface TrainPlan {
  readonly skill: Skill;
  readonly splits: Splits;
  /** Called when a step is finished; the next begins when the promise resolves. The place to export it. */
  readonly onStep?: (record: StepRecord) => Promise<void>;
}

/** Where the search stands: the incumbent, and the val winner so far. */
export type Standing = Pick<GateResult<Skill>, "current" | "best">;

export interface TrainResult extends Standing {
  readonly original: Skill;
  readonly baseline: Evaluation;
  readonly baselineScore: number;
  readonly steps: readonly StepSummary[];
  readonly test?: { readonly baseline: Evaluation; readonly best: Evaluation };
}

export interface StepSummary {
  readonly step: number;
  readonly epoch: number;
  readonly budget: number;
  readonly action: StepAction;
  readonly reason: string;
  readonly score?: number;
  readonly currentScore: number;
  readonly bestScore: number;
}

/** The loop: for each batch of each epoch, six stages; what passes the gate becomes the incumbent. */
export async function train({ skill, splits, onStep }: TrainPlan, context: Context): Promise<TrainResult> {
  const { settings } = context;
  const testPlace: Place = { role: "target", step: 0, stage: "test", background: true };
  const measureTest = (measured: Skill) =>
    settings.evalTest && splits.test.length > 0
      ? evaluate(measured, "test", splits.test, "sealed", testPlace, context)
      : undefined;

  // neither is waited for here, and both yield to the first rollouts: the baseline is needed at the first gate
  const baselinePlace: Place = { role: "target", step: 0, stage: "baseline", background: true };
  const baseline = evaluate(skill, "val", splits.val, "gate", baselinePlace, context);
  const testBaseline = measureTest(skill);
  for (const early of [testBaseline, baseline]) early?.catch(() => {});
  const baselineScore = baseline.then((evaluation) => requireScore(evaluation, context));
  let standing = baselineScore.then(
    (score): Standing => ({ current: { skill, score }, best: { skill, score, step: 0 } }),
  );
  standing.catch(() => {});

  const epochs = planBatches(splits.train, settings);
  const total = epochs.reduce((sum, batches) => sum + batches.length, 0);
  const steps: StepSummary[] = [];
  let incumbent = skill;
  for (const [epoch, batches] of epochs.entries()) {
    const tried: TriedStep[] = [];
    for (const batch of batches) {
      const step = steps.length + 1;
      const { schedule, editBudget: max, minEditBudget: min } = settings;
      const budget = editBudget({ schedule, max, min, step, total });
      context.emit({ type: "step-start", step, epoch: epoch + 1, steps: total, budget });
      const record = await trainStep(
        { step, epoch: epoch + 1, incumbent, batch, budget, tried, standing, val: splits.val },
        context,
      );
      incumbent = record.standing.current.skill;
      standing = Promise.resolve(record.standing);
      tried.push(record.tried);
      steps.push(summarizeStep(record));
      await onStep?.(record);
    }
  }

  const final = await standing;
  const testBest = measureTest(final.best.skill);
  return {
    ...final,
    original: skill,
    baseline: await baseline,
    baselineScore: await baselineScore,
    steps,
    ...(testBaseline === undefined || testBest === undefined
      ? {}
      : { test: { baseline: await testBaseline, best: await testBest } }),
  };
}

function requireScore(evaluation: Evaluation, { settings }: Context): number {
  if (evaluation.score === undefined) {
    throw new WhetstoneError(
      "too-many-pending",
      `${evaluation.pending} results of the baseline are missing.`,
      {
        hint: "Start the same command again once the provider answers: finished work is kept.",
      },
    );
  }
  return gateScore(evaluation.score, settings.metric, settings.mixedWeight);
}

function summarizeStep({ step, epoch, budget, action, reason, score, standing }: StepRecord): StepSummary {
  return {
    step,
    epoch,
    budget,
    action,
    reason,
    ...(score === undefined ? {} : { score }),
    currentScore: standing.current.score,
    bestScore: standing.best.score,
  };
}
