import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Place, Stage } from "../place.ts";
import { type Memoized, memo } from "./memo.ts";
import type { Unit } from "./unit.ts";

export interface ReplyLook {
  /** Called with each reply, usable or not, in the order of the tries. */
  readonly isUsable: (memoized: Memoized) => boolean;
  /** The question was asked before and its reply was useless: this one decides whether it has an answer. @default false */
  readonly isRepair?: boolean;
}

/**
 * `memo` for a reply that may be useless. A repair that was useless and ended an earlier start of the run is a try, not a
 * result: this start asks again under a key of its own. Each start has two tries at most: question and repair in the first
 * one, two repairs in each later one.
 */
export async function memoReply(
  unit: Unit,
  place: Place,
  context: Context,
  { isUsable, isRepair = false }: ReplyLook,
): Promise<Memoized> {
  let tries = 0;
  for (let again = 0; ; again += 1) {
    const drawn = again === 0 ? unit : { ...unit, draw: { ...unit.draw, again } };
    const memoized = await memo(drawn, place, context);
    if (isUsable(memoized) || !isRepair) return memoized;
    if (await endedStart(memoized, place, context)) continue;
    tries += 1;
    const isFirstStart = tries > again;
    if (isFirstStart || tries === 2) return memoized;
  }
}

/**
 * Whether a start of the run ended for want of replies after this one. The journal alone decides, so a start that was killed
 * resumes with the replies it had. A step that ended without the reply stands: everything after it was bought for it.
 */
async function endedStart({ seq }: Memoized, place: Place, { journal, run }: Context): Promise<boolean> {
  if (seq === undefined) return false;
  const isOfStep = place.role === "optimizer" || stagesOfSteps.has(place.stage);
  const names = ["run-end", "step-end"];
  for await (const { name, body } of journal.read({ run, kinds: ["event"], names, after: seq })) {
    if (name === "run-end" && isForWant(body, place)) return true;
    if (name === "step-end" && isOfStep && Number(body["step"]) >= place.step) return false;
  }
  return false;
}

const stagesOfSteps: ReadonlySet<Stage> = new Set<Stage>(["rollout", "evaluate", "regression"]);

/** It stopped where useless replies may be to blame, or it finished and named the verdicts that it missed. */
function isForWant({ code, summary }: JsonObject, { role, stage }: Place): boolean {
  const missing = (summary as JsonObject | null | undefined)?.["missing"];
  return stops.has(code) || (Array.isArray(missing) && role === "judge" && stage !== "preflight");
}

const stops: ReadonlySet<unknown> = new Set<ErrorCode>([
  "too-many-pending",
  "replies-unusable",
  "judge-uncalibrated",
]);
