import type { Context } from "../../context.ts";
import type { Skill } from "../../skill/skill.ts";
import { checkPendingShare } from "../../measure/pending-share.ts";
import { timed } from "../../stages/timed.ts";
import { countNight } from "./evidence.ts";
import type { MinedTask } from "../mine/mined-task.ts";
import type { Together } from "../night/night-types.ts";
import { type Arm, type MinedTrials, armsOf, pairUp, rollMined } from "./try-rules.ts";

/** The documents of a night, each with tasks of its own and its world before and after. */
export type Ensemble = readonly {
  /** Its id. */
  readonly document: string;
  readonly step: number;
  readonly tasks: readonly MinedTask[];
  readonly before: { readonly skill: Skill; readonly context: Context };
  readonly after: { readonly skill: Skill; readonly context: Context };
}[];

/** Everything that is staged against the originals, both drawn afresh: rules that each help may still be in each other's way. */
export async function judgeTogether(
  night: string,
  ensemble: Ensemble,
  trials: number,
  context: Context,
): Promise<{
  readonly together: Together;
  readonly arms: readonly { readonly document: string; readonly arms: readonly Arm[] }[];
}> {
  const rollouts = 2 * trials * ensemble.reduce((sum, { tasks }) => sum + tasks.length, 0);
  const roll = async ({ step, tasks, before, after }: Ensemble[number]) =>
    (await rollMined(
      [
        { ...before, tasks },
        { ...after, tasks },
      ],
      "together",
      { night, step, trials },
    )) as readonly [MinedTrials, MinedTrials];
  const rolled = await timed("evaluate", 0, rollouts, () => Promise.all(ensemble.map(roll)), context);
  const all: readonly MinedTrials[] = rolled.flat();
  checkPendingShare(
    all.flatMap((one) => one.trials.rolled.flat()),
    "evaluate",
    context,
  );
  const { wins, losses, ties } = countNight(
    night,
    rolled.flatMap(([before, after]) => pairUp(before, after)),
  );
  return {
    together: { wins, losses, ties, isBetter: wins > losses },
    arms: rolled.map(([before, after], index) => ({
      document: ensemble[index]?.document ?? "",
      arms: [...armsOf(before, "val", "original"), ...armsOf(after, "val", "together")],
    })),
  };
}
