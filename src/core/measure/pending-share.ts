import type { Context } from "../context.ts";
import { WhetstoneError } from "../errors.ts";
import type { Stage } from "../place.ts";
import { explainReply } from "../unusable-reply.ts";
import type { Rolled } from "../stages/rollout.ts";
import { isMissing } from "../tasks/outcome.ts";
import { leaveOutStep, listIds } from "../verdict-words.ts";

/** The context for stopping a run, and for the way out. */
type Asked = Pick<Context, "settings" | "leftOut" | "asked">;

/**
 * An outage isn't evidence. Above the allowed share of missing results the run stops, and can be resumed. The share is
 * checked over all results so far, where a single one may be missing, and in this stage, to notice an outage late in a
 * long run. A stage of three says nothing about shares, so it counts like one of twenty.
 */
export function checkPendingShare(rolled: readonly Rolled[], stage: Stage, context: Asked): void {
  const { asked, settings } = context;
  const share = settings.maxPendingShare;
  const missing = rolled.filter(({ outcome }) => isMissing(outcome)).length;
  asked.results += rolled.length;
  asked.missing += missing;
  if (missing === 0) return;
  const allowed = Math.max(share * asked.results, share === 0 ? 0 : 1);
  if (asked.missing > allowed || missing > share * Math.max(rolled.length, smallStage))
    throw missingResults(rolled, stage, context);
}

const smallStage = 20;

/** Ids of the tasks with results that may still arrive. */
export const missingTasks = (rolled: readonly Rolled[]): readonly string[] => [
  ...new Set(rolled.flatMap(({ task, outcome }) => (isMissing(outcome) ? [task.id] : []))),
];

/** Why results are missing, and what would help: the provider, a larger context, or continuing without their tasks. */
export function missingResults(
  rolled: readonly Rolled[],
  stage: Stage,
  { settings, leftOut, asked }: Asked,
): WhetstoneError {
  const pending = rolled.flatMap(({ task, outcome }) =>
    outcome.kind === "pending" && isMissing(outcome) ? [{ id: task.id, ...outcome.cause }] : [],
  );
  const refused = pending.filter((cause) => cause.class === "prompt-refused");
  const isTooLong = 2 * refused.length > pending.length;
  const causes = isTooLong ? refused : pending;
  const ids = [...new Set(causes.map(({ id }) => id))];
  const [first] = causes;
  const counted = `${causes.length} of ${rolled.length}`;
  if (isTooLong) {
    const { next } = explainReply("too-long", { role: "target", isAgent: false, settings });
    return new WhetstoneError(
      "replies-unusable",
      `${counted} prompts in stage ${stage} are too long for the model (tasks ${listIds(ids)}): ${first?.message}`,
      { hint: `${next} Then run the same command again: finished work is kept.` },
    );
  }
  const hint = first?.next ?? "Run the same command again once the provider answers: finished work is kept.";
  const inRun = asked.missing > causes.length ? `, ${asked.missing} of ${asked.results} in this run` : "";
  const tasks = new Set(rolled.map(({ task }) => task.id)).size;
  // many missing results mean an outage, and leaving them all out would leave nothing
  const isFew = leftOut !== undefined && ids.length <= Math.min(tasks / 4, mostOffered);
  return new WhetstoneError(
    "too-many-pending",
    `${counted} results in stage ${stage} are missing${inRun} (tasks ${listIds(ids)}): ${first?.message}`,
    { hint: isFew ? `${hint} ${leaveOutStep(ids)}` : hint },
  );
}

const mostOffered = 20;
