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

/** Hard scores without the skill, and with a skill written in one go. */
export interface Baselines {
  readonly noSkill: Evaluation;
  readonly oneShot?: OneShot;
}

/** A planned training. */
export interface TrainCourse {
  readonly skill: Skill;
  readonly splits: Splits;
  readonly turns: readonly Turn[];
  /** Whether the gate measures the original on val. */
  readonly measuresVal: boolean;
  /** The one switch: without it, everything starts when its result is needed, with the same outcome. */
  readonly worksAhead: boolean;
}

/** Work that has started, or that starts when it's called. */
export type Later<T> = () => Promise<T>;

/**
 * Everything that makes a training fast: work starts early and fills the time in which others think. Results are found
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
    /** Starts work now that is needed later. */
    begin,
    /** Takes a moment, during which calls are running. */
    leaks: begin(async () => {
      await first();
      return leaksOf(splits);
    }),
    /** The one-shot rewrite learns from the first step's rollouts. */
    ended({ rolled }: { readonly rolled: readonly Rolled[] }): void {
      if (settings.baselines) oneShot ??= begin(() => measureOneShot(skill, rolled, held, context));
    },
    /** The baselines' results; undefined if none are wanted. */
    async baselines(): Promise<Baselines | undefined> {
      const rewritten = await oneShot?.();
      return noSkill && { noSkill: await noSkill(), oneShot: rewritten };
    },
    /** The original again, next to the sealed test; its first measurement was much earlier. */
    bridge: (before: Evaluation) => begin(() => measureAgain(skill, before, context)),
  };
}

/** The first few rollouts on their own. If none brings an answer, nothing else is bought. */
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
