import type { EventBody } from "../events.ts";
import type { Forecast, ForecastMilestone, Milestone, PassedMilestone } from "./forecast.ts";
import { type PaceClock, type SeenPace, type WorkLine, sumPace } from "./pace.ts";

/** The timing of one rehearsal. */
export interface Course {
  /** Milestones in order. The first is the start of the run. */
  readonly passed: readonly PassedMilestone[];
  readonly pace: SeenPace;
}

export const beginning: PassedMilestone = { after: 0, kept: false, done: {} };

/** The milestone that an event marks, if any. */
export function milestoneOf(event: EventBody): Milestone | undefined {
  if (event.type === "step-end") return { after: event.step, kept: event.best.step > 0 };
  return event.type === "search-end" ? { after: "search", kept: event.kept } : undefined;
}

export const passMilestone = (milestone: Milestone, pace: PaceClock): PassedMilestone => ({
  ...milestone,
  done: Object.fromEntries(Object.entries(pace.seen().lines).map(([line, { done }]) => [line, done])),
});

/** Combines rehearsals into one forecast. */
export function makeForecast(courses: readonly Course[]): Forecast {
  const names = [...new Set(courses.flatMap(({ pace }) => Object.keys(pace.lines)))] as WorkLine[];
  const lines = names.map((line) => {
    const { counted, gapMs } = sumPace(courses.flatMap(({ pace }) => pace.lines[line] ?? []));
    return { line, gapMs: Math.round(gapMs / Math.max(counted, 1)) };
  });
  const farthest = Math.max(
    ...courses.flatMap(({ passed }) => passed.map(({ after }) => Number(after) || 0)),
  );
  const every = Math.max(Math.ceil(farthest / mostSteps), 1);
  const stretches = courses.flatMap(({ passed, pace }) => {
    const shown = passed.filter(({ after }) => after === "search" || after % every === 0);
    const atEnd = names.map((line) => pace.lines[line]?.done ?? 0);
    return shown.map(({ after, kept, done }) => {
      const here = names.map((line) => done[line] ?? 0);
      return { after, kept, done: here, left: atEnd.map((all, at) => all - (here[at] ?? 0)) };
    });
  });
  const alike = Map.groupBy(stretches, ({ after, kept }) => `${after} ${kept}`);
  const milestones = [...alike.values()].flatMap((group): readonly ForecastMilestone[] => {
    const [first] = group;
    if (first === undefined) return [];
    const mean = (pick: (one: ForecastMilestone) => readonly number[]) =>
      names.map((_, at) => {
        const sum = group.reduce((total, one) => total + (pick(one)[at] ?? 0), 0);
        return Math.round((10 * sum) / group.length) / 10;
      });
    return [{ ...first, done: mean(({ done }) => done), left: mean(({ left }) => left) }];
  });
  return { rehearsals: courses.length, lines, milestones };
}

/** A forecast has to fit into one event, so a long run doesn't get a milestone for every step. */
const mostSteps = 25;
