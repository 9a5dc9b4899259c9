import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Place, Stage } from "../place.ts";
import { type Memoized, memo } from "./memo.ts";
import type { Unit } from "./unit.ts";

export interface ReplyLook {
  /** Called with each reply, usable or not, in the order of the tries. */
  readonly isUsable: (memoized: Memoized) => boolean;
  /** How often it is asked at once, each time under a draw of its own. @default 1: a repair follows, or nothing */
  readonly tries?: number;
  /** The last of them stands: no later start asks again. @default false */
  readonly isFinal?: boolean;
}

/**
 * `memo` for a reply that may be useless. Then it is a try and not a result: it is asked for again at once, under a key of its
 * own. If a start of the run ended for want of it, each later one asks once more.
 */
export async function memoReply(
  unit: Unit,
  place: Place,
  context: Context,
  { isUsable, tries = 1, isFinal = false }: ReplyLook,
): Promise<Memoized> {
  let made = 0;
  for (let again = 0; ; again += 1) {
    const drawn = again === 0 ? unit : { ...unit, draw: { ...unit.draw, again } };
    const memoized = await memo(drawn, place, context);
    if (isUsable(memoized) || tries === 1) return memoized;
    if (!isFinal && (await endedStart(memoized, place, context))) continue;
    made += 1;
    const isFirstStart = made > again;
    if (made === (isFirstStart ? tries : 1)) return memoized;
  }
}

/**
 * Whether a start of the run ended for want of replies after this one. The journal alone decides, so a start that was killed
 * resumes with the replies it had. A step or a search that ended without the reply stands: everything after it was bought for it.
 */
async function endedStart({ seq }: Memoized, place: Place, { journal, run }: Context): Promise<boolean> {
  if (seq === undefined) return false;
  const isOfSearch = place.role === "optimizer" || !stagesBeside.has(place.stage);
  const names = ["run-end", "step-end", "turn-end"];
  for await (const { name, body } of journal.read({ run, kinds: ["event"], names, after: seq })) {
    if (name === "run-end" && isForWant(body, place)) return true;
    const isOver = name === "step-end" ? Number(body["step"]) >= place.step : body["turn"] === "end";
    if (isOfSearch && isOver) return false;
  }
  return false;
}

const stagesBeside: ReadonlySet<Stage> = new Set<Stage>(["preflight", "calibrate", "draft", "mine", "test"]);

/** It stopped where useless replies may be to blame, or it finished and named the verdicts that it missed. */
function isForWant({ code, summary }: JsonObject, { role, stage }: Place): boolean {
  const missing = (summary as JsonObject | null | undefined)?.["missing"];
  return stops.has(code) || (Array.isArray(missing) && role === "judge" && stage !== "calibrate");
}

const stops: ReadonlySet<unknown> = new Set<ErrorCode>([
  "too-many-pending",
  "replies-unusable",
  "judge-uncalibrated",
]);
