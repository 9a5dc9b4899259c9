import type { Context } from "../context.ts";
import { leaksOf } from "../guard/leak-index.ts";
import { type OneShot, measureNoSkill, measureOneShot } from "../measure/baselines.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import { type PlannedRollout, checkFirstReplies } from "../measure/first-replies.ts";
import { measureAgain } from "../measure/measure-again.ts";
import type { Skill } from "../skill/skill.ts";
import { handled } from "../stages/handled.ts";
import type { Rolled } from "../stages/rollout.ts";
import { rollAhead } from "../stages/study.ts";
import type { Splits, Task } from "../tasks/task.ts";
import type { Turn } from "./turns.ts";

/** Hard scores without the skill, and of a skill written in one go. */
export interface Baselines {
  readonly noSkill: Evaluation;
  readonly oneShot?: OneShot;
}

/** A training as it is planned. */
export interface TrainCourse {
  readonly skill: Skill;
  readonly splits: Splits;
  readonly turns: readonly Turn[];
  /** Whether the gate measures the original on val. */
  readonly measuresVal: boolean;
  /** The one switch: without it everything begins when its result is needed, and comes to the same. */
  readonly worksAhead: boolean;
}

/** Work that has begun, or that begins when it is called. */
export type Later<T> = () => Promise<T>;

/**
 * Everything that makes a training fast: work begins before its turn and fills the time in which others think. Results are found
 * by key and consumed in canonical order, so none of this changes what a run decides.
 */
export function workAhead({ skill, splits, turns, worksAhead }: TrainCourse, context: Context) {
  const { settings } = context;
  const begin = <T>(work: () => Promise<T>): Later<T> => {
    let begun = worksAhead ? handled(work()) : undefined;
    return () => (begun ??= work());
  };
  const split = splits.test.length > 0 ? "test" : "val";
  const held = { split, tasks: splits[split] } as const;
  const noSkill = settings.baselines ? begin(() => measureNoSkill(held, context)) : undefined;
  let oneShot: Later<OneShot | undefined> | undefined;
  const [turn] = turns;
  const first = begin(async () =>
    turn?.kind === "step" ? rollAhead({ ...turn, incumbent: skill }, context) : [],
  );
  return {
    /** Begins now what is needed later. */
    begin,
    /** Takes a moment, which calls fill. */
    leaks: begin(async () => {
      await first();
      return leaksOf(splits);
    }),
    /** The one-shot rewrite learns from the first step's rollouts. */
    ended({ rolled }: { readonly rolled: readonly Rolled[] }): void {
      if (settings.baselines) oneShot ??= begin(() => measureOneShot(skill, rolled, held, context));
    },
    /** What the baselines came to; undefined where none are wanted. */
    async baselines(): Promise<Baselines | undefined> {
      const rewritten = await oneShot?.();
      return noSkill && { noSkill: await noSkill(), oneShot: rewritten };
    },
    /** The original once more, next to the sealed test; its first measurement is a run away. */
    bridge: (before: Evaluation) => begin(() => measureAgain(skill, before, context)),
  };
}

/** The first few rollouts by themselves: where none brings an answer, nothing else is bought. */
export async function tryFirstReplies(course: TrainCourse, context: Context): Promise<void> {
  const { skill, splits, turns, measuresVal, worksAhead } = course;
  if (!worksAhead) return;
  const plan = (tasks: readonly Task[], isVal: boolean): readonly PlannedRollout[] =>
    tasks.map((task) => ({
      task,
      split: isVal ? "val" : "train",
      draw: { purpose: isVal ? "gate" : "train", trial: 0 },
      place: { role: "target", step: isVal ? 0 : 1, stage: isVal ? "baseline" : "rollout" },
    }));
  const batch = turns[0]?.kind === "step" ? turns[0].batch : [];
  const planned = [...plan(measuresVal ? splits.val : [], true), ...plan(batch, false)];
  await checkFirstReplies(skill, planned, context);
}
