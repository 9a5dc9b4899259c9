import type { Place } from "../../core/context.ts";
import type { BudgetView } from "./fleet-budget.ts";
import type { Unit } from "../../core/unit.ts";

/** A unit on its way to a worker. */
export interface FleetJob {
  readonly run: string;
  /** Which settings of the run it needs. */
  readonly settings: string;
  readonly key: string;
  readonly unit: Unit;
  readonly place: Place;
  /** Where it belongs in the run's trace, as W3C's `traceparent`. */
  readonly trace?: string;
}

/** What comes back: the result itself is in the journal. */
export interface FleetDone {
  readonly budget: BudgetView;
}

/** One job per run and unit: budget and cancellation belong to a run, so two runs never share one. */
export const jobId = ({ run, key }: Pick<FleetJob, "run" | "key">): string => `${run}-${key}`;
