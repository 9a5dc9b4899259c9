import type { WorkLine } from "./pace.ts";

/** Where a run is: after how many steps, or past its search; and whether it has anything in hand by then. */
export interface Milestone {
  readonly after: number | "search";
  readonly kept: boolean;
}

/** A milestone, and how many results had been bought by then. */
export interface PassedMilestone extends Milestone {
  readonly done: Readonly<Partial<Record<WorkLine, number>>>;
}

/** What rehearsals say about the time of a run: what there is to do, and what a result of each kind takes. */
export interface Forecast {
  readonly rehearsals: number;
  readonly lines: readonly {
    readonly line: WorkLine;
    /** Milliseconds of the run for one result. */
    readonly gapMs: number;
  }[];
  readonly milestones: readonly ForecastMilestone[];
}

/** Results by line at a milestone: the mean of the rehearsals that came by. */
export interface ForecastMilestone extends Milestone {
  readonly done: readonly number[];
  /** Until the end. */
  readonly left: readonly number[];
}

/** What the rehearsals say at a milestone; of those that none of them passed, the nearest before it. */
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
  // a search that comes home with nothing has nothing to confirm and nothing to claim
  return found ?? (after === "search" && !kept ? { after, kept, done: [], left: [] } : there[0]);
}
