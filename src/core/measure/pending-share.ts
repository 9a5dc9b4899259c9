import { WhetstoneError } from "../errors.ts";
import type { Stage } from "../place.ts";
import type { TrainSettings } from "../settings.ts";
import { explainReply } from "../unusable-reply.ts";
import type { Rolled } from "../stages/rollout.ts";

/** An outage is not evidence: above the allowed share of missing results the run stops, resumable. */
export function checkPendingShare(rolled: readonly Rolled[], stage: Stage, settings: TrainSettings): void {
  const pending = rolled.filter(({ outcome }) => outcome.kind === "pending").length;
  if (pending > settings.maxPendingShare * rolled.length) throw missingResults(rolled, stage, settings);
}

/** Why results are missing, and what would bring them: the provider, or a larger context. */
export function missingResults(
  rolled: readonly Rolled[],
  stage: Stage,
  settings: TrainSettings,
): WhetstoneError {
  const pending = rolled.flatMap(({ task, outcome }) =>
    outcome.kind === "pending" ? [{ id: task.id, ...outcome.cause }] : [],
  );
  const refused = pending.filter((cause) => cause.class === "prompt-refused");
  const isTooLong = 2 * refused.length > pending.length;
  const causes = isTooLong ? refused : pending;
  const ids = listIds([...new Set(causes.map(({ id }) => id))]);
  const [first] = causes;
  const counted = `${causes.length} of ${rolled.length}`;
  if (isTooLong) {
    const { next } = explainReply("too-long", { role: "target", isAgent: false, settings });
    return new WhetstoneError(
      "replies-unusable",
      `${counted} prompts of stage ${stage} are too long for the model (tasks ${ids}): ${first?.message}`,
      { hint: `${next} Then start the same command again: finished work is kept.` },
    );
  }
  const hint = "Start the same command again once the provider answers: finished work is kept.";
  return new WhetstoneError(
    "too-many-pending",
    `${counted} results of stage ${stage} are missing (tasks ${ids}): ${first?.message}`,
    { hint: first?.next ?? hint },
  );
}

const shownIds = 5;

const listIds = (ids: readonly string[]): string =>
  ids.length <= shownIds
    ? ids.join(", ")
    : `${ids.slice(0, shownIds).join(", ")} and ${ids.length - shownIds} more`;
