import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Place, Stage } from "../place.ts";
import { type Memoized, memo } from "./memo.ts";
import type { Unit } from "./unit.ts";

export interface ReplyLook {
  /** Called with each reply, usable or not, in the order of the tries. */
  readonly isUsable: (memoized: Memoized) => boolean;
  /** How many tries it gets right away, each with its own draw. @default 1: a repair follows, or nothing */
  readonly tries?: number;
  /** The last try is final, so no later start asks again. @default false */
  readonly isFinal?: boolean;
}

/**
 * `memo` for a reply that may be unusable. Such a reply is a try, not a result, so we ask again right away under a new key.
 * If a start of the run ended because of a missing reply, each later start asks once more.
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
 * Whether a start of the run ended after this reply because of missing replies. Only the journal decides, so a killed start
 * resumes with the replies it had. A step or search that ended without the reply stays, as later results build on it.
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

/** Whether it stopped at an error that unusable replies can cause, or finished and listed missing verdicts. */
function isForWant({ code, summary }: JsonObject, { role, stage }: Place): boolean {
  const missing = (summary as JsonObject | null | undefined)?.["missing"];
  return stops.has(code) || (Array.isArray(missing) && role === "judge" && stage !== "calibrate");
}

const stops: ReadonlySet<unknown> = new Set<ErrorCode>([
  "too-many-pending",
  "replies-unusable",
  "judge-uncalibrated",
]);
