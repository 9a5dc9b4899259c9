import type { Context, Place } from "../context.ts";
import type { Purpose } from "../unit.ts";
import type { Skill } from "../skill/skill.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { checkPendingShare } from "./pending-share.ts";
import { type Rolled, rollout } from "./rollout.ts";

/** A skill measured on a split. `score` is missing while results are: an average over a part is no score. */
export interface Evaluation {
  readonly rolled: readonly Rolled[];
  readonly pending: number;
  readonly score?: { readonly hard: number; readonly soft: number };
}

export async function evaluate(
  skill: Skill,
  split: SplitName,
  tasks: readonly Task[],
  purpose: Purpose,
  place: Place,
  context: Context,
): Promise<Evaluation> {
  const { step, stage } = place;
  const started = context.clock.now();
  context.emit({ type: "stage-start", step, stage, total: tasks.length });
  const rolled = await Promise.all(
    rollout(skill, tasks, { split, draw: { purpose, trial: 0 }, place }, context),
  );
  checkPendingShare(rolled, stage, context.settings);
  const evaluation = summarize(rolled);
  const ms = context.clock.now() - started;
  context.emit({
    type: "stage-end",
    step,
    stage,
    total: tasks.length,
    pending: evaluation.pending,
    ms,
    ...evaluation.score,
  });
  return evaluation;
}

function summarize(rolled: readonly Rolled[]): Evaluation {
  const scored = rolled.flatMap(({ task, outcome }) =>
    outcome.kind === "scored" ? [{ task, outcome }] : [],
  );
  const pending = rolled.length - scored.length;
  if (pending > 0) return { rolled, pending };
  return { rolled, pending, score: weightedMean(scored) };
}

export function weightedMean(scored: readonly { readonly task: Task; readonly outcome: Scored }[]): {
  readonly hard: number;
  readonly soft: number;
} {
  let [hard, soft, total] = [0, 0, 0];
  for (const { task, outcome } of scored) {
    const weight = task.weight ?? 1;
    hard += weight * outcome.hard;
    soft += weight * outcome.soft;
    total += weight;
  }
  return total === 0 ? { hard: 0, soft: 0 } : { hard: hard / total, soft: soft / total };
}
