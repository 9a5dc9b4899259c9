import type { Place } from "../../core/place.ts";
import type { Unit } from "../../core/unit.ts";
import type { BudgetView } from "./fleet-budget.ts";

/** Units on their way to one worker: one, or the whole block of a claim. */
export interface FleetJob {
  readonly run: string;
  /** Which settings of the run they need. */
  readonly settings: string;
  readonly units: readonly FleetUnit[];
}

export interface FleetUnit {
  readonly key: string;
  readonly unit: Unit;
  readonly place: Place;
  /** Where it belongs in the run's trace, as W3C's `traceparent`. */
  readonly trace?: string;
}

/** What comes back: the results themselves are in the journal. */
export interface FleetDone {
  readonly budget: BudgetView;
}

/** One job per run and units: budget and cancellation belong to a run, so two runs never share one. */
export const jobId = (run: string, keys: readonly string[]): string => `${run}-${keys.toSorted().join("+")}`;

/** The ids that its units would have in jobs of their own. */
export function unitIds(id: string): readonly string[] {
  const at = id.lastIndexOf("-");
  return id
    .slice(at + 1)
    .split("+")
    .map((key) => jobId(id.slice(0, at), [key]));
}
