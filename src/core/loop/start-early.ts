import type { Skill } from "../skill/skill.ts";
import type { Splits } from "../tasks/task.ts";
import type { StepOutcome } from "./train-step.ts";
import type { Context } from "../context.ts";
import { type LeakIndex, buildLeakIndex } from "../guard/leak-index.ts";
import { measureNoSkill, measureOneShot } from "../measure/baselines.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import { sealAhead } from "../measure/seal.ts";
import { handled } from "../stages/handled.ts";
import { rollBatch } from "../stages/study.ts";
import { planBatches } from "../tasks/batches.ts";
import { endSearch } from "./end-search.ts";
import { scoutStart } from "./scout-ahead.ts";
import { isNoisy } from "./standing.ts";
import type { Course } from "./turn.ts";

/** Hard scores without the skill, and of a skill written in one go. */
export interface Baselines {
  readonly noSkill: Evaluation;
  readonly oneShot?: Evaluation;
}

/** Work of a training that begins before its turn: it fills the time in which others think. */
export interface EarlyWork {
  /** What the search walks along; ready once the first batch is rolled out. */
  readonly course: Promise<Course>;
  /** A search that ended at once did not wait for these rollouts, but they are paid. */
  readonly rolled: Promise<unknown>;
  /** The original is measured: the first step needs no scout any more. */
  stopScout(): void;
  /** To be called after each step. */
  readonly onStep: (record: StepOutcome) => Promise<void>;
  /** What the baselines came to; undefined where none are wanted. */
  baselines(): Promise<Baselines | undefined>;
}

/** Whether a run ends in a sealed test. */
export const isSealed = ({ test }: Splits, { settings }: Context): boolean =>
  settings.evalTest && test.length > 0;

/** Begins the first batch, the baselines and, with `speculate`, the first step, beside the measurement of the original. */
export function startEarly({ skill, splits, onStep }: TrainPlan, context: Context): EarlyWork {
  const { settings } = context;
  const { train, val, test } = splits;
  const batches = planBatches(train, { ...settings, batchSize: settings.batchSize * settings.accumulation });
  const held =
    test.length > 0 ? ({ split: "test", tasks: test } as const) : ({ split: "val", tasks: val } as const);
  const noSkill = settings.baselines ? handled(measureNoSkill(held, context)) : undefined;
  let oneShot: Promise<Evaluation | undefined> | undefined;

  const firstBatch = { step: 1, epoch: 1, incumbent: skill, batch: batches[0]?.[0] ?? [] };
  const rolled = handled(Promise.all(rollBatch(firstBatch, context).flat()));
  const course = handled(
    rolled.then(
      (): Course => ({
        original: skill,
        splits,
        batches,
        // takes a moment, and the baseline is slower than the first batch
        leaks: leaksOf(splits),
        async prepareEnd(standing, ahead) {
          const best = endSearch(standing, skill).best.skill;
          const claim = { original: skill, best, test, isNoisy: isNoisy(standing) };
          if (isSealed(splits, context)) await sealAhead(claim, ahead);
        },
      }),
    ),
  );
  const scout = scoutStart(skill, course, context);
  return {
    course,
    rolled,
    stopScout: () => scout?.stop(),
    async onStep(record) {
      if (settings.baselines) oneShot ??= handled(measureOneShot(skill, record.rolled, held, context));
      await onStep?.(record);
    },
    async baselines() {
      const rewritten = await oneShot;
      return noSkill && { noSkill: await noSkill, oneShot: rewritten };
    },
  };
}

export interface TrainPlan {
  readonly skill: Skill;
  readonly splits: Splits;
  /** Called when a step is finished; the next begins when the promise resolves. The place to export it. */
  readonly onStep?: (record: StepOutcome) => Promise<void>;
}

/** Of the same tasks once, however often a run is gone through. */
function leaksOf(splits: Splits): LeakIndex {
  const index = leakIndexes.get(splits) ?? buildLeakIndex(Object.values(splits).flat());
  leakIndexes.set(splits, index);
  return index;
}

const leakIndexes = new WeakMap<Splits, LeakIndex>();
