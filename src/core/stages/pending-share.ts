import { WhetstoneError } from "../errors.ts";
import type { Stage } from "../events.ts";
import type { Rolled } from "./rollout.ts";

/** An outage is not evidence: above the allowed share of missing results the run stops, resumable. */
export function checkPendingShare(
  rolled: readonly Rolled[],
  stage: Stage,
  { maxPendingShare }: { readonly maxPendingShare: number },
): void {
  const pending = rolled.flatMap(({ outcome }) => (outcome.kind === "pending" ? [outcome.cause] : []));
  if (pending.length === 0 || pending.length <= maxPendingShare * rolled.length) return;
  throw new WhetstoneError(
    "too-many-pending",
    `${pending.length} of ${rolled.length} results of stage ${stage} are missing: ${pending[0]?.message}`,
    { hint: "Start the same command again once the provider answers: finished work is kept." },
  );
}
