import type { WorkLine } from "./pace.ts";

/** A point in a run, after some steps or after the search, and whether the run has kept anything by then. */
export interface Milestone {
  readonly after: number | "search";
  readonly kept: boolean;
}

/** A milestone, and the number of results bought by then. */
export interface PassedMilestone extends Milestone {
  readonly done: Readonly<Partial<Record<WorkLine, number>>>;
}

/** Rehearsals' estimate of a run's time: how much work there is, and how long a result of each kind takes. */
export interface Forecast {
  readonly rehearsals: number;
  readonly lines: readonly {
    readonly line: WorkLine;
    /** Milliseconds of the run per result. */
    readonly gapMs: number;
  }[];
  readonly milestones: readonly ForecastMilestone[];
}

/** Results by line at a milestone: the mean of the rehearsals that passed it. */
export interface ForecastMilestone extends Milestone {
  readonly done: readonly number[];
  /** Results still to come until the end. */
  readonly left: readonly number[];
}

/** Finds the forecast at a milestone, or at the nearest earlier one if no rehearsal passed it. */
export function findMilestone(
  { milestones }: Forecast,
  { after, kept }: Milestone,
): ForecastMilestone | undefined {
  const place = (milestone: Milestone) =>
    milestone.after === "search" ? Number.POSITIVE_INFINITY : milestone.after;
  const before = milestones.filter((one) => place(one) <= place({ after, kept }));
  const nearest = Math.max(...before.map(place));
  const there = before.filter((one) => place(one) === nearest);
  const found = there.find((one) => one.kept === kept);
  // a search that found nothing has nothing to confirm or claim
  return found ?? (after === "search" && !kept ? { after, kept, done: [], left: [] } : there[0]);
}
