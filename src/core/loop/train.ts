import type { Context } from "../context.ts";
import { buildLeakIndex } from "../guard/leak-index.ts";
import { scoutStart } from "./scout-ahead.ts";
import { type EpochSummary, search } from "./search.ts";
import type { StepRecord } from "../step-record.ts";
import type { Skill } from "../skill/skill.ts";
import { measureNoSkill, measureOneShot } from "../measure/baselines.ts";
import { endSearch } from "./end-search.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import { checkFirstReplies, firstRollouts } from "../measure/first-replies.ts";
import { handled } from "../stages/handled.ts";
import { startGate } from "./decide.ts";
import { noteMade, noteSides } from "../measure/claim-log.ts";
import { type Sealed, seal, sealAhead } from "../measure/seal.ts";
import { measureAgain } from "../measure/measure-again.ts";
import type { Standing } from "./standing.ts";
import { rollBatch } from "../stages/study.ts";
import { planBatches } from "../tasks/batches.ts";
import type { Splits } from "../tasks/task.ts";
import type { StepOutcome } from "./train-step.ts";
import type { Course } from "./turn.ts";
import type { TriggerReport } from "../triggers/trigger-figures.ts";

export interface TrainPlan {
  readonly skill: Skill;
  readonly splits: Splits;
  /** Called when a step is finished; the next begins when the promise resolves. The place to export it. */
  readonly onStep?: (record: StepOutcome) => Promise<void>;
}

export interface TrainResult extends Standing {
  readonly original: Skill;
  /** The original on val; missing with `gate: off`. */
  readonly baseline?: Evaluation;
  readonly baselineScore: number | null;
  readonly steps: readonly StepRecord[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly EpochSummary[];
  /** Missing without a test split. */
  readonly sealed?: Sealed;
  readonly baselines?: { readonly noSkill: Evaluation; readonly oneShot?: Evaluation };
  /** On the description track. */
  readonly triggers?: TriggerReport;
  /** Why the search ended before its last step. */
  readonly ended?: string;
}

/** A training run: measure the original, search for something better, seal what may be claimed. */
export async function trainSkill(
  { skill, splits, onStep }: TrainPlan,
  context: Context,
): Promise<TrainResult> {
  const { settings } = context;
  const { test, val } = splits;
  const batchSize = settings.batchSize * settings.accumulation;
  const batches = planBatches(splits.train, { ...settings, batchSize });
  await checkFirstReplies(skill, firstRollouts(splits, settings), context);

  await noteSides(splits, context);
  const isSealed = settings.evalTest && test.length > 0;
  // begun now and needed at the end: they fill the time in which the optimizer thinks
  const held =
    test.length > 0 ? ({ split: "test", tasks: test } as const) : ({ split: "val", tasks: val } as const);
  const noSkill = settings.baselines ? handled(measureNoSkill(held, context)) : undefined;
  let oneShot: Promise<Evaluation | undefined> | undefined;

  // the first rollouts run beside the baseline
  const firstBatch = { step: 1, epoch: 1, incumbent: skill, batch: batches[0]?.[0] ?? [] };
  const early = handled(Promise.all(rollBatch(firstBatch, context).flat()));
  const charted = handled(
    early.then(
      (): Course => ({
        original: skill,
        splits,
        batches,
        // takes a moment, and the baseline is slower than the first batch
        leaks: buildLeakIndex([...splits.train, ...val, ...test]),
        async prepareEnd(standing, ahead) {
          const best = endSearch(standing, skill).best.skill;
          if (isSealed) await sealAhead({ original: skill, best, test, isNoisy: isNoisy(standing) }, ahead);
        },
      }),
    ),
  );
  const headStart = scoutStart(skill, charted, context);
  const { standing: start, baseline, val: judged } = await startGate(skill, val, context);
  headStart?.stop();

  const found = await search(
    {
      ...(await charted),
      splits: { ...splits, val: judged },
      start,
      async onStep(record) {
        if (settings.baselines) oneShot ??= handled(measureOneShot(skill, record.rolled, held, context));
        await onStep?.(record);
      },
    },
    context,
  );

  // a search that ended at once did not wait for them, but they are paid
  await early;

  const final = endSearch(found.standing, skill);
  const best = final.best.skill;
  const sealed = isSealed
    ? await seal(
        {
          original: skill,
          best,
          test,
          isNoisy: isNoisy(found.standing),
          bridge: baseline && (() => measureAgain(skill, baseline, context)),
        },
        context,
      )
    : undefined;
  // nothing made an original that stays
  if (final.best.step > 0) await noteMade(best, splits, context);
  const rewritten = await oneShot;
  return {
    ...final,
    original: skill,
    ...(baseline === undefined ? {} : { baseline }),
    baselineScore: start.current.score,
    steps: found.steps,
    epochs: found.epochs,
    ...(found.ended === undefined ? {} : { ended: found.ended }),
    ...(sealed === undefined ? {} : { sealed }),
    ...(noSkill === undefined
      ? {}
      : {
          baselines: { noSkill: await noSkill, oneShot: rewritten },
        }),
  };
}

/** Whether the gate's own measurements show that the target varies. */
const isNoisy = ({ gate }: Standing): boolean => gate.kind === "filter" && gate.state.kind === "noisy";
