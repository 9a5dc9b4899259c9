import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { Skill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { tryBlindAnswers } from "./blind-answers.ts";
import { hashJson } from "../canonical.ts";
import { textIdentity } from "../skill/hash.ts";
import { askedHash } from "../tasks/asked-hash.ts";
import { type Asking, countAsked, noteFound } from "./claim-log.ts";
import type { ClaimEvidence } from "../evidence.ts";
import { type ClaimFigures, claimFigures, sumsOf } from "./claim-figures.ts";
import { type LostTask, checkLostTasks } from "./lost-tasks.ts";
import { rollClaim } from "./roll-claim.ts";
import type { Trials } from "./trials.ts";

export interface CompareInput extends Pick<Asking, "before" | "after" | "among" | "file" | "memory"> {
  readonly parts: readonly TaskPart[];
  /** The most trials per task and arm. */
  readonly trials: number;
  /** Ids of tasks that helped make one of the skills. Their results are about these tasks alone. @default none */
  readonly seen?: readonly string[];
}

/** Tasks with the split that an environment sees. */
export interface TaskPart {
  readonly split: SplitName;
  readonly tasks: readonly Task[];
}

export interface Comparison extends ClaimFigures {
  /** Both arms, in the order of the parts. */
  readonly before: Trials;
  readonly after: Trials;
  /** Tasks that `before` always passed and `after` never did. */
  readonly lost: readonly LostTask[];
  readonly evidence: ClaimEvidence;
}

/** Compares two skills on the same tasks, side by side, with the exact test. Further texts belong to the same question. */
export async function compareSkills(input: CompareInput, context: Context): Promise<Comparison> {
  const { before, after, among = [], parts, trials, seen = [], file, memory } = input;
  const { settings, models } = context;
  const tasks = parts.flatMap((part) => part.tasks.map((task) => ({ task, split: part.split })));
  const own = tasks.map(({ task }) => task);
  const first = textIdentity(before);
  // more trials extend the same pairs
  const idOf = (text: Skill) => hashJson({ pair: [first, textIdentity(text)], target: models.target });
  const size = { tasks: own.map(askedHash).toSorted(), trials, fresh: settings.fresh ?? null };
  const asking = { before, after, among, tasks: own, file, memory };
  const bar = await countAsked(asking, { first, ...size }, context);
  const roll = (text: Skill, isFirst: boolean) =>
    rollClaim(
      { before, after: text, tasks, trials, purpose: "compare", id: idOf(text), place, isFirst },
      context,
    );
  const arms = await roll(after, true);
  const beside: (readonly number[])[] = [];
  for (const other of among) beside.push(sumsOf((await roll(other, false)).measured.pairs));
  const { measured } = arms;
  const lost = await checkLostTasks(
    { candidate: after, incumbent: before, tasks, pairs: measured.pairs, step: 0, id: idOf(after) },
    context,
  );
  const blind = await tryBlindAnswers({ ...arms, pairs: measured.pairs, tasks: own }, context);
  const evidence = {
    ...measured,
    blind,
    bar: { alpha: settings.sealedAlpha, ...bar },
    ...(beside.length === 0 ? {} : { beside }),
    seen,
  };
  const figures = claimFigures(evidence);
  // the others of several texts may still be found better
  if (among.length === 0 && figures.claim.verdict === "better") await noteFound(asking, context);
  return { ...figures, before: arms.before, after: arms.after, lost, evidence };
}

const place: Place = { role: "target", step: 0, stage: "evaluate" };
