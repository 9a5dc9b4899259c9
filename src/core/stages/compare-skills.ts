import type { Context, Place } from "../context.ts";
import { type ClaimVerdict, claimVerdict } from "../gate/claim-verdict.ts";
import type { Skill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { checkReplies } from "./check-replies.ts";
import { type LostTask, checkLostTasks } from "./lost-tasks.ts";
import { checkPendingShare } from "./pending-share.ts";
import { timed } from "./timed.ts";
import { type Trials, rollTrials } from "./trials.ts";

export interface CompareInput {
  readonly before: Skill;
  readonly after: Skill;
  readonly parts: readonly TaskPart[];
  /** Per task and arm. */
  readonly trials: number;
}

/** Tasks with the split that an environment is told. */
export interface TaskPart {
  readonly split: SplitName;
  readonly tasks: readonly Task[];
}

export interface Comparison {
  readonly claim: ClaimVerdict;
  /** Both arms in the order of the parts. */
  readonly before: Trials;
  readonly after: Trials;
  /** Tasks that `before` always passed and `after` never did. */
  readonly lost: readonly LostTask[];
}

/** Two skills on the same tasks, both drawn afresh, judged by the exact test at `sealedAlpha`. */
export async function compareSkills(
  { before, after, parts, trials }: CompareInput,
  context: Context,
): Promise<Comparison> {
  const { settings } = context;
  const tasks = parts.flatMap((part) => part.tasks.map((task) => ({ task, split: part.split })));
  const arm = (skill: Skill) => rollArm(skill, parts, trials, context);
  const rollBoth = () => Promise.all([arm(before), arm(after)]);
  const [old, now] = await timed("evaluate", 0, 2 * tasks.length * trials, rollBoth, context);
  checkReplies([...old.rolled.flat(), ...now.rolled.flat()], context);
  checkPendingShare([...old.rolled.flat(), ...now.rolled.flat()], "evaluate", settings);
  const pairs = tasks.map((_, index) => ({
    incumbent: old.scores[index] ?? [],
    candidate: now.scores[index] ?? [],
  }));
  const lost = await checkLostTasks({ candidate: after, incumbent: before, tasks, pairs, step: 0 }, context);
  return { claim: claimVerdict(pairs, { alpha: settings.sealedAlpha }), before: old, after: now, lost };
}

const place: Place = { role: "target", step: 0, stage: "evaluate" };

async function rollArm(
  skill: Skill,
  parts: readonly TaskPart[],
  trials: number,
  context: Context,
): Promise<Trials> {
  const rolled = await Promise.all(
    parts.map(({ split, tasks }) =>
      rollTrials(skill, { split, tasks, purpose: "compare", trials, place }, context),
    ),
  );
  return {
    scores: rolled.flatMap((part) => part.scores),
    rolled: Array.from({ length: trials }, (_, trial) => rolled.flatMap((part) => part.rolled[trial] ?? [])),
  };
}
