import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type ClaimVerdict, claimVerdict } from "../gate/claim/claim-verdict.ts";
import { type Drift, clearDrift } from "../gate/claim/drift.ts";
import { spendAlpha } from "../gate/claim/spend-alpha.ts";
import type { Skill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { type ArmCosts, armCosts, maxCostOf } from "./arm-costs.ts";
import { countLook } from "./claim-log.ts";
import { type LostTask, checkLostTasks, fallenTasks } from "./lost-tasks.ts";
import { rollClaim, unfinished } from "./roll-claim.ts";
import type { Trials } from "./trials.ts";

export interface CompareInput {
  readonly before: Skill;
  readonly after: Skill;
  readonly parts: readonly TaskPart[];
  /** Per task and arm, at most. */
  readonly trials: number;
}

/** Tasks with the split that an environment is told. */
export interface TaskPart {
  readonly split: SplitName;
  readonly tasks: readonly Task[];
}

export interface Comparison {
  readonly claim: ClaimVerdict;
  /** How often this pair of skills has been looked at, this one included. */
  readonly look: number;
  /** Both arms in the order of the parts. */
  readonly before: Trials;
  readonly after: Trials;
  /** Tasks that `before` always passed and `after` never did. */
  readonly lost: readonly LostTask[];
  /** Ids of tasks that fell in every trial. */
  readonly fallen: readonly string[];
  /** Ids of tasks that a person left out, which count as lost; and of those with results that may still come. */
  readonly leftOut: readonly string[];
  readonly missing: readonly string[];
  /** Who answered, as the provider named itself. */
  readonly models: readonly string[];
  /** Set when the target moved during the comparison. */
  readonly drift?: Drift;
  /** What a rollout takes with each of them. */
  readonly perRollout?: ArmCosts | undefined;
}

/** Two skills on the same tasks, side by side, compared by the exact test. Each look at the pair raises the bar. */
export async function compareSkills(
  { before, after, parts, trials }: CompareInput,
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
    { candidate: after, incumbent: before, tasks, pairs: arms.pairs, step: 0, id },
    context,
  );
  const drift = clearDrift(arms.drift, 1);
  const alpha = spendAlpha(settings.sealedAlpha, look);
  return {
    claim: claimVerdict(arms.pairs, { alpha, steady: arms.steady }),
    look,
    before: arms.before,
    after: arms.after,
    lost,
    ...unfinished(
      arms,
      tasks.map(({ task }) => task),
    ),
    models: arms.models,
    fallen: fallenTasks(arms.pairs).flatMap((task) => tasks[task]?.task.id ?? []),
    drift,
    perRollout: armCosts({
      tasks: reading.tasks,
      before: { skill: before, trials: arms.before },
      after: { skill: after, trials: arms.after },
      alpha,
      steady: arms.steady,
      maxCost: maxCostOf(settings),
    }),
  };
}

const place: Place = { role: "target", step: 0, stage: "evaluate" };
