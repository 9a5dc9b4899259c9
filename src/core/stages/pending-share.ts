import { WhetstoneError } from "../errors.ts";
import type { Stage } from "../events.ts";
import type { TrainSettings } from "../settings.ts";
import { explainReply } from "../unusable-reply.ts";
import { isTooLong } from "./check-replies.ts";
import type { Rolled } from "./rollout.ts";

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
    outcome.kind === "pending" ? [{ id: task.id, message: outcome.cause.message }] : [],
  );
  const refused = rolled.filter(({ outcome }) => isTooLong(outcome));
  if (2 * refused.length > pending.length) {
    const cause = refused.flatMap(({ outcome }) => (outcome.kind === "pending" ? [outcome.cause] : []))[0];
    const { next } = explainReply("too-long", { role: "target", isAgent: false, settings });
    return new WhetstoneError(
      "replies-unusable",
      `${refused.length} of ${rolled.length} prompts of stage ${stage} are too long for the model (tasks ${listIds(refused.map(({ task }) => task.id))}): ${cause?.message}`,
      { hint: `${next} Then start the same command again: finished work is kept.` },
    );
  }
  return new WhetstoneError(
    "too-many-pending",
    `${pending.length} of ${rolled.length} results of stage ${stage} are missing (tasks ${listIds(pending.map(({ id }) => id))}): ${pending[0]?.message}`,
    { hint: "Start the same command again once the provider answers: finished work is kept." },
  );
}

const shownIds = 5;

const listIds = (ids: readonly string[]): string =>
  ids.length <= shownIds
    ? ids.join(", ")
    : `${ids.slice(0, shownIds).join(", ")} and ${ids.length - shownIds} more`;
