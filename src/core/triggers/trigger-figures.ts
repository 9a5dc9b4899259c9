import type { Rolled } from "../stages/rollout.ts";
import { wantsTrigger } from "./trigger-task.ts";

/** How well a description triggers, over rollouts with a result. */
export interface TriggerFigures {
  readonly rollouts: number;
  /** Rollouts in which the skill should be loaded, was loaded, and both. */
  readonly wanted: number;
  readonly triggered: number;
  readonly both: number;
  /** both / triggered; null if the skill was never loaded, because then precision is undefined. */
  readonly precision: number | null;
  /** both / wanted; null if it should never have been loaded. */
  readonly recall: number | null;
}

/** Before and after; `after` is missing if the original stays. */
export interface TriggerPair {
  readonly before: TriggerFigures;
  readonly after?: TriggerFigures;
}

/** Val as the gate saw it (a search signal, with fewer rollouts if it stopped early); test as in the sealed test. */
export type TriggerReport = Readonly<Partial<Record<"val" | "test", TriggerPair>>>;

export function countTriggers(rolled: readonly Rolled[]): TriggerFigures {
  let [rollouts, wanted, triggered, both] = [0, 0, 0, 0];
  for (const { task, outcome } of rolled) {
    if (outcome.kind !== "scored") continue;
    const shouldLoad = wantsTrigger(task) === true;
    // hard is 1 exactly when the skill was rightly loaded or rightly left alone
    const wasLoaded = outcome.hard >= 1 === shouldLoad;
    rollouts += 1;
    if (shouldLoad) wanted += 1;
    if (wasLoaded) triggered += 1;
    if (shouldLoad && wasLoaded) both += 1;
  }
  const share = (of: number) => (of === 0 ? null : both / of);
  return { rollouts, wanted, triggered, both, precision: share(triggered), recall: share(wanted) };
}
