import type { Skill } from "../skill/skill.ts";
import type { Splits } from "../tasks/task.ts";
import { type TurnProposal, isLagging, proposeTurn, startMemory } from "./search.ts";
import type { Standing } from "./standing.ts";
import type { StepOutcome } from "./step-outcome.ts";
import { type Turn, planTurns } from "./turns.ts";
import type { Context } from "../context.ts";
import { type LeakIndex, buildLeakIndex } from "../guard/leak-index.ts";
import { type OneShot, measureNoSkill, measureOneShot } from "../measure/baselines.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import { handled } from "../stages/handled.ts";
import { rollAhead } from "../stages/study.ts";
import { planBatches } from "../tasks/batches.ts";

/** Hard scores without the skill, and of a skill written in one go. */
export interface Baselines {
  readonly noSkill: Evaluation;
  readonly oneShot?: OneShot;
}

/** Work of a training that begins before its turn: it fills the time in which others think. */
export interface EarlyWork {
  readonly turns: readonly Turn[];
  /** Takes a moment, which the baseline fills. */
  readonly leaks: Promise<LeakIndex>;
  /** The first turn's proposals, where they need not wait for the original's measurement. */
  readonly first?: Promise<TurnProposal>;
  /** To be called after each step. */
  readonly onStep: (record: StepOutcome) => Promise<void>;
  /** What the baselines came to; undefined where none are wanted. */
  baselines(): Promise<Baselines | undefined>;
}

/** Whether a run ends in a sealed test. */
export const isSealed = ({ test }: Splits, { settings }: Context): boolean =>
  settings.evalTest && test.length > 0;

/** Begins the first batch, the baselines and, with a lag, the first proposals, beside the measurement of the original. */
export function startEarly({ skill, splits, onStep }: TrainPlan, context: Context): EarlyWork {
  const { settings } = context;
  const { train, val, test } = splits;
  const batches = planBatches(train, { ...settings, batchSize: settings.batchSize * settings.accumulation });
  const held =
    test.length > 0 ? ({ split: "test", tasks: test } as const) : ({ split: "val", tasks: val } as const);
  const noSkill = settings.baselines ? handled(measureNoSkill(held, context)) : undefined;
  let oneShot: Promise<OneShot | undefined> | undefined;

  const turns = planTurns(batches, settings);
  const [turn] = turns;
  const batch = turn?.kind === "step" ? turn.batch : [];
  const rolled = handled(rollAhead({ step: 1, epoch: 1, incumbent: skill, batch }, context));
  const leaks = handled(rolled.then(() => leaksOf(splits)));
  const propose = async (from: Turn): Promise<TurnProposal> => {
    const course = { splits, turns, leaks: await leaks };
    return proposeTurn(from, startOf(skill), startMemory(skill), course, context);
  };
  const isEarly = turn !== undefined && isLagging(context);
  return {
    turns,
    leaks,
    ...(isEarly ? { first: handled(propose(turn)) } : {}),
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

/** Before anything is known. */
const startOf = (skill: Skill): Standing => ({
  current: { skill, score: null },
  best: { skill, score: null, step: 0 },
  gate: { kind: "off" },
});

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
