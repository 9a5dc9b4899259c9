import { hashJson } from "../canonical.ts";
import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { seededRandom, shuffle } from "../random.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { taskHash } from "../tasks/task-hash.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { wordingOf } from "../tasks/wordings.ts";
import type { Draw } from "../work/unit.ts";
import { gateScoreOf } from "./evaluate.ts";
import { type Roll, type Rolled, rollAll } from "../stages/rollout.ts";
import type { Trials } from "./trials.ts";

/** Tasks with the split that an environment sees. */
export interface PlacedTask {
  readonly split: SplitName;
  readonly task: Task;
}

/** One of the skills being compared. */
export interface SideArm {
  readonly skill: Skill;
  readonly draw: Pick<Draw, "purpose" | "claim">;
  /** Its context; each arm may have its own world. */
  readonly context: Context;
  /** The tasks it takes part in. @default all */
  readonly takes?: (task: Task) => boolean;
}

export interface BlocksPlan {
  readonly tasks: readonly PlacedTask[];
  /** The number of trials per task. */
  readonly trials: number;
  /** The number of the first trial. @default 0 */
  readonly from?: number;
  readonly place: Place;
  readonly seed: number;
  /** Trials differ in their neutral wording, which is the same in all arms. @default false */
  readonly variesWording?: boolean;
}

export interface SideBySide {
  /** In the order of the arms. A task that an arm doesn't take has no scores there. */
  readonly arms: readonly Trials[];
  /** The (task, trial) blocks in starting order. */
  readonly order: readonly BlockPlace[];
}

export interface BlockPlace {
  /** Its index. */
  readonly task: number;
  readonly trial: number;
}

/**
 * Rolls all arms of one (task, trial) next to each other, in an order drawn from the seed, so that anything that
 * changes over time affects all arms alike. Every task has its first trial before any has its second.
 */
export async function rollSideBySide(arms: readonly SideArm[], plan: BlocksPlan): Promise<SideBySide> {
  const { tasks, trials, from = 0, seed } = plan;
  const names = arms.map(({ skill, draw }) => [skillIdentity(skill), draw.claim ?? draw.purpose]);
  const blocks: (BlockPlace & { readonly order: readonly number[] })[] = [];
  for (let trial = from; trial < from + trials; trial += 1) {
    const random = seededRandom("side-by-side", seed, trial, hashJson(names));
    for (const task of shuffle([...tasks.keys()], random)) {
      const taking = [...arms.keys()].filter((arm) => takesPart(arms[arm], tasks[task]));
      if (taking.length > 0) blocks.push({ task, trial, order: shuffle(taking, random) });
    }
  }
  const begun = blocks.flatMap((block) => block.order.map((arm) => ({ ...block, arm })));
  const rolled = await Promise.all(rollAll(begun.map((one) => rollOf(one, arms, plan))));
  return {
    arms: arms.map((arm, at) => {
      const own = begun.flatMap((one, index) =>
        one.arm === at ? [{ ...one, result: rolled[index] as Rolled }] : [],
      );
      return trialsOf(own, tasks, { from, trials }, arm.context);
    }),
    order: blocks.map(({ task, trial }) => ({ task, trial })),
  };
}

const takesPart = (arm: SideArm | undefined, placed: PlacedTask | undefined): boolean =>
  arm !== undefined && placed !== undefined && (arm.takes?.(placed.task) ?? true);

function rollOf(
  { task, trial, arm }: BlockPlace & { readonly arm: number },
  arms: readonly SideArm[],
  { tasks, place, variesWording = false }: BlocksPlan,
): Roll {
  const { skill, draw, context } = arms[arm] as SideArm;
  const placed = tasks[task] as PlacedTask;
  const hash = taskHash(placed.task);
  return {
    task: placed.task,
    skill,
    context,
    plan: {
      split: placed.split,
      draw: { ...draw, trial },
      place: { ...place, block: `${draw.claim ?? draw.purpose} ${hash} ${trial}` },
      ...(variesWording ? { wording: wordingOf(hash, trial) } : {}),
    },
  };
}

function trialsOf(
  own: readonly (BlockPlace & { readonly result: Rolled })[],
  tasks: readonly PlacedTask[],
  { from, trials }: Required<Pick<BlocksPlan, "from" | "trials">>,
  { settings }: Context,
): Trials {
  const byPlace = new Map(own.map(({ task, trial, result }) => [`${task} ${trial}`, result]));
  const numbers = Array.from({ length: trials }, (_, nth) => from + nth);
  const at = (task: number, trial: number) => byPlace.get(`${task} ${trial}`);
  return {
    rolled: numbers.map((trial) => tasks.flatMap((_, task) => at(task, trial) ?? [])),
    scores: tasks.map((_, task) =>
      numbers.flatMap((trial) => {
        const result = at(task, trial);
        if (result === undefined) return [];
        return [gateScoreOf(result.outcome, settings)];
      }),
    ),
  };
}
