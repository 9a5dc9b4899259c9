import { hashJson } from "../canonical.ts";
import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type ClaimPair, isFinished } from "../gate/claim/claim-pair.ts";
import { hasFallen, lostTasks, regressionCheck } from "../gate/regression-check.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { rollPairs } from "./roll-claim.ts";
import type { PlacedTask } from "./side-by-side.ts";

export interface LostTasksInput {
  readonly candidate: Skill;
  readonly incumbent: Skill;
  readonly tasks: readonly PlacedTask[];
  /** One pair per task. */
  readonly pairs: readonly ClaimPair[];
  readonly step: number;
  /** Names the draws. @default by both skills */
  readonly id?: string;
}

/** A task that the incumbent always passed and the candidate never did. */
export interface LostTask {
  readonly task: string;
  /** The p of its re-run; null if there were too few trials for one, or results are missing. */
  readonly p: number | null;
  readonly blocks: boolean;
  /** Scores of its re-run; missing without one. */
  readonly again?: Pick<ClaimPair, "incumbent" | "candidate">;
}

/** No task left behind: tasks that look lost are re-run in both arms, and only the re-run counts. */
export async function checkLostTasks(
  { candidate, incumbent, tasks, pairs, step, id }: LostTasksInput,
  context: Context,
): Promise<readonly LostTask[]> {
  const place: Place = { role: "target", step, stage: "regression" };
  const both = { before: incumbent, after: candidate, purpose: "regression", place } as const;
  const name = id ?? hashJson([skillIdentity(incumbent), skillIdentity(candidate)]);
  const lost = pairs.flatMap((pair, index) => {
    const placed = tasks[index];
    const [found] = isFinished(pair) ? lostTasks([pair]) : [];
    return placed === undefined || found === undefined ? [] : [{ placed, rerun: found.rerun }];
  });
  return Promise.all(
    lost.map(async ({ placed, rerun }) => {
      const task = placed.task.id;
      if (rerun === 0) return judgeLost({ task });
      const plan = { ...both, tasks: [placed], trials: rerun, id: name };
      const { arms } = await rollPairs(plan, { from: 0, count: rerun }, context);
      const [before, after] = arms;
      const again = { incumbent: before?.scores[0] ?? [], candidate: after?.scores[0] ?? [] };
      return judgeLost({ task, again });
    }),
  );
}

/** The result of a re-run for a task that looks lost. */
export function judgeLost({ task, again }: Pick<LostTask, "task" | "again">): LostTask {
  if (again === undefined) return { task, p: null, blocks: false };
  return { task, ...(isFinished(again) ? regressionCheck(again) : { p: null, blocks: false }), again };
}

/** Indices of the tasks that a claim should name, whatever its verdict: they fell in every trial. */
export const fallenTasks = (pairs: readonly ClaimPair[]): readonly number[] =>
  pairs.flatMap((pair, task) => (isFinished(pair) && hasFallen(pair) ? [task] : []));
