import type { Context } from "./context.ts";
import { crossEpoch } from "./epoch/cross-epoch.ts";
import type { StepAction } from "./events.ts";
import type { LeakIndex } from "./guard/leak-index.ts";
import type { Skill } from "./skill/skill.ts";
import { editBudget } from "./stages/edit-budget.ts";
import { type Judgement, judge } from "./stages/judge.ts";
import type { TriedStep } from "./stages/optimizer-text.ts";
import { nothingToGain } from "./stages/nothing-to-gain.ts";
import type { Standing } from "./stages/standing.ts";
import type { Splits, Task } from "./tasks/task.ts";
import { type StepRecord, trainStep } from "./train-step.ts";

export interface SearchInput {
  readonly original: Skill;
  readonly start: Standing;
  readonly splits: Splits;
  /** Epoch → batch → tasks. */
  readonly batches: readonly (readonly (readonly Task[])[])[];
  readonly leaks: LeakIndex;
  readonly onStep: (record: StepRecord) => Promise<void>;
}

export interface SearchResult {
  readonly standing: Standing;
  readonly steps: readonly StepSummary[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly EpochSummary[];
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

/** The loop: for each batch of each epoch, six stages; what passes the gate becomes the incumbent. */
export async function search(input: SearchInput, context: Context): Promise<SearchResult> {
  const { original, splits, batches, leaks } = input;
  const { settings } = context;
  const total = batches.reduce((sum, epoch) => sum + epoch.length, 0);
  const proposals = total + (settings.slowUpdate ? Math.max(batches.length - 1, 0) : 0);
  const steps: StepSummary[] = [];
  const epochs: EpochSummary[] = [];
  let standing = input.start;
  let previous = original;
  let meta = "";
  let judged = 0;
  const candidates = () => ({ original, val: splits.val, proposals, proposalsLeft: proposals - judged++ });

  for (const [at, epochBatches] of batches.entries()) {
    const epoch = at + 1;
    const tried: TriedStep[] = [];
    for (const batch of epochBatches) {
      const ended = nothingToGain(standing);
      if (ended !== undefined) return { standing, steps, epochs, ended };
      const step = steps.length + 1;
      const budget = scheduledBudget(step, total, context);
      context.emit({ type: "step-start", step, epoch, steps: total, budget });
      const record = await trainStep(
        { step, epoch, standing, batch, budget, tried, meta, leaks, ...candidates() },
        context,
      );
      standing = record.standing;
      tried.push(record.tried);
      steps.push(summarizeStep(record));
      await input.onStep(record);
    }
    const step = steps.length;
    const current = standing.current.skill;
    const isLast = epoch === batches.length;
    const crossed = await crossEpoch(
      { epoch, step, isLast, previous, current, train: splits.train, tried, meta, leaks },
      context,
    );
    meta = crossed.meta;
    if (crossed.guided !== undefined) {
      const judgement = await judge({ candidate: crossed.guided, step, standing, ...candidates() }, context);
      standing = judgement.standing;
      epochs.push({ epoch, action: judgement.action, reason: judgement.reason });
    }
    previous = standing.current.skill;
  }
  return { standing, steps, epochs };
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
