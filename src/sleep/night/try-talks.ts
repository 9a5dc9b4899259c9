import type { Context } from "../../core/context.ts";
import { scoreProbe } from "../../core/judge/calibrate.ts";
import { oneLine } from "../../core/one-line.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import { throughJudge } from "../../run/session/calibrate-judge.ts";
import { preflight } from "../../run/session/preflight.ts";
import { askAnew } from "../../run/verbs/prepare.ts";
import type { DroppedFind } from "../mine/mine.ts";
import { endingPerformance, taskOf } from "../mine/recorded-talk.ts";

export interface TriedTalks {
  /** The tasks without unjudgeable talks, and without tasks that had no other check. */
  readonly tasks: readonly MinedTask[];
  readonly dropped: readonly DroppedFind[];
}

/**
 * Asks the judge about each recorded conversation whether the person would have had to correct it. It must say yes for the
 * original ending, and no for the one after the correction. Otherwise it can't judge how an agent continues that conversation.
 */
export async function tryTalks(
  tasks: readonly MinedTask[],
  night: string,
  context: Context,
): Promise<TriedTalks> {
  if (tasks.every(({ talk }) => talk === undefined)) return { tasks, dropped: [] };
  await preflight(["judge"], askAnew(night, context));
  const problems = await Promise.all(tasks.map((mined) => problemOf(mined, context)));
  return {
    tasks: tasks.flatMap((mined, at) => {
      if (problems[at] === undefined) return [mined];
      const { talk: _, ...rest } = mined;
      return mined.isTalkAlone === true ? [] : [rest];
    }),
    dropped: tasks.flatMap((mined, at) => {
      const [reason, conversation = ""] = [problems[at], mined.task.group];
      const what = oneLine(mined.talk?.correction ?? "", 200);
      return reason === undefined ? [] : [{ conversation, what, reason }];
    }),
  };
}

async function problemOf({ task: mined, talk }: MinedTask, context: Context): Promise<string | undefined> {
  if (talk === undefined) return undefined;
  const task = taskOf(mined, talk);
  const [recorded, corrected] = await throughJudge(
    (judge) =>
      Promise.all(
        [talk.recorded, talk.corrected].map((ending) =>
          scoreProbe({ task, performance: endingPerformance(ending) }, judge),
        ),
      ),
    context,
  );
  if (recorded === undefined || recorded.hard === 1)
    return "It isn't replayed: from the original ending, the judge can't tell why you corrected it.";
  return corrected?.hard === 1
    ? undefined
    : "It isn't replayed: the judge says that you would have corrected the later ending too.";
}
