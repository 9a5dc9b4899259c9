import type { Stage } from "../place.ts";
import { type Forecast, type PassedMilestone, findMilestone } from "./forecast.ts";
import { type LinePace, type SeenPace, type WorkLine, nothingSeen, sumPace } from "./pace.ts";

/** A run's progress. */
export interface Progress {
  readonly forecast?: Forecast;
  /** The last milestone of the forecast that the run has passed. */
  readonly passed: PassedMilestone;
  readonly pace: SeenPace;
  /** The number of test results, once the sealed test has started. Nothing comes after the test. */
  readonly announced?: number;
}

/**
 * Milliseconds until a run ends: the remaining results, each at the pace of its kind. Rehearsals give their number. The
 * run itself gives the pace, or rehearsals for work that hasn't started yet. Undefined without rehearsals.
 */
export function timeLeft({ forecast, passed, pace, announced }: Progress, now: number): number | undefined {
  if (forecast === undefined) return undefined;
  const expected = findMilestone(forecast, passed);
  if (expected === undefined) return undefined;
  const seenOf = (line: WorkLine): LinePace => pace.lines[line] ?? nothingSeen;
  let left = 0;
  for (const [at, { line, gapMs }] of forecast.lines.entries()) {
    const { done, counted, gapMs: seenMs } = seenOf(line);
    // work that is done once, at any time, counts by what is expected at the milestone
    const had = onceStages.has(line.split(" ")[0] as Stage) ? expected.done[at] : passed.done[line];
    const thought = Math.max((expected.left[at] ?? 0) + (had ?? 0) - done, 0);
    const results =
      announced === undefined ? thought : line === "test target" ? Math.max(announced - done, thought) : 0;
    const prior = gapMs * slowerThan(forecast, line, seenOf);
    left += (results * (fewTimes * prior + seenMs)) / (fewTimes + counted);
  }
  const { gapMs, callMs, counted } = sumPace(Object.values(pace.lines));
  const silence = Math.max(now - pace.at, 0);
  // a call that already takes longer than usual may take as long again
  if (counted > 0 && silence > (2 * callMs) / counted) return Math.max(left, silence);
  // the next result is under way; if it's late, the end doesn't come closer
  return Math.max(left - Math.min(silence, gapMs / Math.max(counted, 1)), 0);
}

const onceStages: ReadonlySet<Stage> = new Set<Stage>([
  "preflight",
  "calibrate",
  "baseline",
  "confirm",
  "test",
]);

/** With fewer results than this, their pace is uncertain. */
const fewTimes = 4;

/** How much longer the results of a line's role took than rehearsals expected. */
function slowerThan({ lines }: Forecast, line: WorkLine, seenOf: (line: WorkLine) => LinePace): number {
  const own = lines.filter((one) => one.line.split(" ")[1] === line.split(" ")[1]);
  const { gapMs } = sumPace(own.map((one) => seenOf(one.line)));
  const rehearsed = own.reduce((sum, one) => sum + seenOf(one.line).counted * one.gapMs, 0);
  const usual = own.reduce((sum, one) => sum + one.gapMs, 0) / own.length;
  return (gapMs + usual) / Math.max(rehearsed + usual, 1);
}
