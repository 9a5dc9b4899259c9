import type { Context } from "./context.ts";
import { longitudinalPairs } from "./epoch/longitudinal-pairs.ts";
import { metaSkill } from "./epoch/meta-skill.ts";
import { slowUpdate } from "./epoch/slow-update.ts";
import type { StepAction } from "./events.ts";
import { buildLeakIndex } from "./guard/leak-index.ts";
import type { Skill } from "./skill/skill.ts";
import { measureNoSkill, measureOneShot } from "./stages/baselines.ts";
import { editBudget } from "./stages/edit-budget.ts";
import type { Evaluation } from "./stages/evaluate.ts";
import { endSearch } from "./stages/end-search.ts";
import { type Judgement, judge, startGate } from "./stages/judge.ts";
import type { TriedStep } from "./stages/optimizer-text.ts";
import { percent } from "./stages/percent.ts";
import { type Sealed, planSealed, rollOriginal, seal } from "./stages/seal.ts";
import type { Standing } from "./stages/standing.ts";
import { rollBatch } from "./stages/study.ts";
import { planBatches } from "./tasks/batches.ts";
import type { Splits } from "./tasks/task.ts";
import { type StepRecord, trainStep } from "./train-step.ts";

export interface TrainPlan {
  readonly skill: Skill;
  readonly splits: Splits;
  /** Called when a step is finished, before the next begins: the place to export it. */
  readonly onStep?: (record: StepRecord) => Promise<void>;
}

export interface TrainResult extends Standing {
  readonly original: Skill;
  /** The original on val; missing with `gate: off`. */
  readonly baseline?: Evaluation;
  readonly baselineScore: number | null;
  readonly steps: readonly StepSummary[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly EpochSummary[];
  /** Missing without a test split. */
  readonly sealed?: Sealed;
  readonly baselines?: { readonly noSkill: Evaluation; readonly oneShot?: Evaluation };
  /** Why the search ended before its last step. */
  readonly ended?: string;
}

export interface StepSummary {
  readonly step: number;
  readonly epoch: number;
  readonly budget: number;
  readonly action: StepAction;
  readonly reason: string;
  readonly score?: number;
  readonly currentScore: number | null;
  readonly bestScore: number | null;
  readonly evidence?: Judgement["evidence"];
}

export interface EpochSummary {
  readonly epoch: number;
  readonly action: StepAction;
  readonly reason: string;
}

/** A baseline at or above this leaves nothing to learn. */
const headroom = 0.95;

/** The loop: for each batch of each epoch, six stages; what passes the gate becomes the incumbent. */
export async function train({ skill, splits, onStep }: TrainPlan, context: Context): Promise<TrainResult> {
  const { settings } = context;
  const { test, val } = splits;
  // begun now, needed at the end: it fills the time in which the optimizer thinks
  const sealing = settings.evalTest && test.length > 0 ? planSealed(test.length, settings) : undefined;
  const originalArm =
    sealing?.limits.possible === true ? rollOriginal(skill, test, sealing, context) : undefined;
  originalArm?.catch(() => {});
  const [held, heldTasks] = test.length > 0 ? (["test", test] as const) : (["val", val] as const);
  const noSkill = settings.baselines ? measureNoSkill(held, heldTasks, context) : undefined;
  noSkill?.catch(() => {});
  let oneShot: Promise<Evaluation | undefined> | undefined;

  const batchSize = settings.batchSize * settings.accumulation;
  const epochs = planBatches(splits.train, { ...settings, batchSize });
  const total = epochs.reduce((sum, batches) => sum + batches.length, 0);
  const proposals = total + (settings.slowUpdate ? Math.max(epochs.length - 1, 0) : 0);
  const firstBatch = epochs[0]?.[0] ?? [];
  // the first rollouts run beside the baseline
  const early = Promise.all(
    rollBatch({ step: 1, epoch: 1, incumbent: skill, batch: firstBatch }, context).flat(),
  );
  early.catch(() => {});
  const { standing: start, baseline } = await startGate(skill, val, context);
  const baselineScore = start.current.score;

  const leaks = buildLeakIndex([...splits.train, ...val, ...test]);
  const steps: StepSummary[] = [];
  const epochSummaries: EpochSummary[] = [];
  let standing = start;
  let ended: string | undefined;
  let meta = "";
  let previous = skill;
  let judged = 0;
  if (baselineScore !== null && baselineScore >= headroom) {
    await early;
    ended = `the original already reaches ${percent(baselineScore)} on val: there is nothing to learn here`;
  } else {
    for (const [at, batches] of epochs.entries()) {
      const epoch = at + 1;
      const tried: TriedStep[] = [];
      for (const batch of batches) {
        const step = steps.length + 1;
        const budget = scheduledBudget(step, total, context);
        context.emit({ type: "step-start", step, epoch, steps: total, budget });
        const proposalsLeft = proposals - judged;
        const record = await trainStep(
          {
            step,
            epoch,
            original: skill,
            standing,
            batch,
            val,
            budget,
            tried,
            meta,
            leaks,
            proposals,
            proposalsLeft,
          },
          context,
        );
        judged += 1;
        standing = record.standing;
        tried.push(record.tried);
        steps.push(summarizeStep(record));
        await onStep?.(record);
        if (settings.baselines && oneShot === undefined) {
          oneShot = measureOneShot(skill, record.rolled, held, heldTasks, context);
          oneShot.catch(() => {});
        }
      }
      if (epoch > 1 && (settings.slowUpdate || settings.metaSkill)) {
        const boundary = await crossEpoch(epoch, tried);
        standing = boundary.standing;
        meta = boundary.meta;
        if (boundary.summary !== undefined) epochSummaries.push(boundary.summary);
      }
      previous = standing.current.skill;
    }
  }

  const final = endSearch(standing, skill);
  const sealed =
    sealing === undefined
      ? undefined
      : await seal(skill, final.best.skill, test, sealing, originalArm, context);
  const rewritten = await oneShot;
  return {
    ...final,
    original: skill,
    ...(baseline === undefined ? {} : { baseline }),
    baselineScore,
    steps,
    epochs: epochSummaries,
    ...(sealed === undefined ? {} : { sealed }),
    ...(noSkill === undefined
      ? {}
      : {
          baselines: { noSkill: await noSkill, ...(rewritten === undefined ? {} : { oneShot: rewritten }) },
        }),
    ...(ended === undefined ? {} : { ended }),
  };

  /** From epoch 2: what changed over the epoch, as guidance for the agent and as memory for the optimizer. */
  async function crossEpoch(epoch: number, tried: readonly TriedStep[]) {
    const step = steps.length;
    const current = standing.current.skill;
    const pairs = await longitudinalPairs(previous, current, splits.train, epoch, step, context);
    const [guided, memory] = await Promise.all([
      settings.slowUpdate ? slowUpdate(previous, current, pairs, leaks, step, context) : undefined,
      // notes for an epoch that does not come would be wasted
      settings.metaSkill && epoch < epochs.length
        ? metaSkill(previous, current, pairs, tried, meta, step, context)
        : meta,
    ]);
    const proposalsLeft = proposals - judged;
    if (settings.slowUpdate) judged += 1;
    if (guided === undefined) return { standing, meta: memory };
    const judgement = await judge(
      { candidate: guided, step, original: skill, standing, val, proposals, proposalsLeft },
      context,
    );
    const { action, reason } = judgement;
    return { standing: judgement.standing, meta: memory, summary: { epoch, action, reason } };
  }
}

function scheduledBudget(step: number, total: number, { settings }: Context): number {
  const { schedule, editBudget: max, minEditBudget: min } = settings;
  return schedule === "autonomous" ? max : editBudget({ schedule, max, min, step, total });
}

function summarizeStep(record: StepRecord): StepSummary {
  const { step, epoch, budget, action, reason, score, standing, evidence } = record;
  return {
    step,
    epoch,
    budget,
    action,
    reason,
    ...(score === undefined ? {} : { score }),
    currentScore: standing.current.score,
    bestScore: standing.best.score,
    ...(evidence === undefined ? {} : { evidence }),
  };
}
