import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { Skill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { tryBlindAnswers } from "./blind-answers.ts";
import { countLook } from "./claim-log.ts";
import type { ClaimEvidence } from "../evidence.ts";
import { type ClaimFigures, claimFigures } from "./claim-figures.ts";
import { type LostTask, checkLostTasks } from "./lost-tasks.ts";
import { rollClaim } from "./roll-claim.ts";
import type { Trials } from "./trials.ts";

export interface CompareInput {
  readonly before: Skill;
  readonly after: Skill;
  readonly parts: readonly TaskPart[];
  /** Per task and arm, at most. */
  readonly trials: number;
  /** Ids of tasks that helped to make one of the skills: what they show holds on them alone. @default none */
  readonly seen?: readonly string[];
}

/** Tasks with the split that an environment is told. */
export interface TaskPart {
  readonly split: SplitName;
  readonly tasks: readonly Task[];
}

export interface Comparison extends ClaimFigures {
  /** How often this pair of skills has been looked at, this one included. */
  readonly look: number;
  /** Both arms in the order of the parts. */
  readonly before: Trials;
  readonly after: Trials;
  /** Tasks that `before` always passed and `after` never did. */
  readonly lost: readonly LostTask[];
  readonly evidence: ClaimEvidence;
}

/** Two skills on the same tasks, side by side, compared by the exact test. Each look at the pair raises the bar. */
export async function compareSkills(
  { before, after, parts, trials, seen = [] }: CompareInput,
  context: Context,
): Promise<Comparison> {
  const { settings } = context;
  const tasks = parts.flatMap((part) => part.tasks.map((task) => ({ task, split: part.split })));
  const reading = { before, after, tasks: tasks.map(({ task }) => task), trials };
  const { id, look } = await countLook(reading, context);
  const arms = await rollClaim(
    { before, after, tasks, trials, purpose: "compare", id, place, isFirst: true },
    context,
  );
  const lost = await checkLostTasks(
    { candidate: after, incumbent: before, tasks, pairs: arms.measured.pairs, step: 0, id },
    context,
  );
  const { measured } = arms;
  const blind = await tryBlindAnswers({ ...arms, pairs: measured.pairs, tasks: reading.tasks }, context);
  const evidence = { ...measured, blind, bar: { alpha: settings.sealedAlpha, look }, seen };
  return { ...claimFigures(evidence), look, before: arms.before, after: arms.after, lost, evidence };
}

const place: Place = { role: "target", step: 0, stage: "evaluate" };
