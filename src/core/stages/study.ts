import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { RawPatch } from "../skill/edit.ts";
import type { Skill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { type Attempts, chooseInformative, contrast } from "./contrast.ts";
import type { ShownSearch } from "./optimizer-text.ts";
import { handled } from "./handled.ts";
import { type Reflection, type PatchSides, allPatches, reflect, sidesOf } from "./reflect.ts";
import { type Rolled, rollout } from "./rollout.ts";
import { timed } from "./timed.ts";

export interface StudyInput extends Omit<ShownSearch, "skill"> {
  readonly step: number;
  readonly epoch: number;
  readonly incumbent: Skill;
  readonly batch: readonly Task[];
  /** Also sends failures that contrast doesn't show to the plain analysts, at the same time. @default false */
  readonly showsAll?: boolean;
}

/** Stages 1 and 2: the incumbent on the batch, and the optimizer's analysis. Resolves while analysts are working. */
export async function study(input: StudyInput, context: Context): Promise<Reflection> {
  const { step, batch } = input;
  const attempts = rollBatch(input, context);
  const [rollouts = []] = attempts;
  const rolling = handled(
    timed("rollout", step, attempts.flat().length, () => Promise.all(attempts.flat()), context),
  );
  const place: Place = { role: "optimizer", step, stage: "reflect" };
  const { incumbent: skill, budget, tried, dry, meta } = input;
  const shown = { skill, budget, tried, dry, meta, place };
  const read = async (): Promise<Reflection> => {
    if (attempts.length > 1) {
      const all = await Promise.all(attempts.map(async (promises) => Promise.all(promises)));
      const compared = byTask(batch, all);
      const others = input.showsAll === true ? unshown(compared, rollouts) : [];
      const [patch, beside] = await Promise.all([
        contrast({ ...shown, attempts: compared }, context),
        others.length === 0 ? undefined : reflect({ ...shown, rollouts: others }, context),
      ]);
      if (patch !== undefined) return { rolled: all.flat(), sides: withPatch(patch, beside?.sides) };
    }
    const reflection = await reflect({ ...shown, rollouts }, context);
    return { ...reflection, rolled: attempts.length > 1 ? await rolling : reflection.rolled };
  };
  const reading = read();
  const analysed = async () => allPatches((await reading).sides);
  void handled(timed("reflect", step, batch.length, analysed, context));
  return reading;
}

function withPatch(patch: RawPatch, beside?: PatchSides): PatchSides {
  return sidesOf(
    beside === undefined ? Promise.resolve([patch]) : allPatches(beside).then((all) => [patch, ...all]),
  );
}

/** All rollouts of a batch, started at once. Attempts are independent draws, and so are epochs. */
export function rollBatch(
  { step, epoch, incumbent, batch }: Pick<StudyInput, "step" | "epoch" | "incumbent" | "batch">,
  context: Context,
): readonly (readonly Promise<Rolled>[])[] {
  const { attempts } = context.settings;
  return Array.from({ length: attempts }, (_, attempt) =>
    rollout(
      incumbent,
      batch,
      {
        split: "train",
        draw: { purpose: "train", trial: (epoch - 1) * attempts + attempt },
        place: { role: "target", step, stage: "rollout" },
      },
      context,
    ),
  );
}

/** The same ahead of time: `study` finds the results. */
export const rollAhead = async (...given: Parameters<typeof rollBatch>): Promise<readonly Rolled[]> =>
  Promise.all(rollBatch(...given).flat());

/** First attempts at the tasks whose attempts don't differ; none if that's all of them. */
function unshown(
  compared: readonly Attempts[],
  rollouts: readonly Promise<Rolled>[],
): readonly Promise<Rolled>[] {
  const informative = new Set(chooseInformative(compared));
  return informative.size === 0
    ? []
    : rollouts.filter((_, at) => {
        const one = compared[at];
        return one !== undefined && !informative.has(one);
      });
}

function byTask(batch: readonly Task[], all: readonly (readonly Rolled[])[]) {
  return batch.map((task, index) => ({
    task,
    outcomes: all.flatMap((rolls) => {
      const outcome = rolls[index]?.outcome;
      return outcome?.kind === "scored" ? [outcome] : [];
    }),
  }));
}
