import type { Stage } from "../place.ts";
import { type Forecast, type PassedMilestone, findMilestone } from "./forecast.ts";
import { type LinePace, type SeenPace, type WorkLine, nothingSeen, sumPace } from "./pace.ts";

/** How far a run is. */
export interface Progress {
  readonly forecast?: Forecast;
  /** The last milestone of its forecast that it passed. */
  readonly passed: PassedMilestone;
  readonly pace: SeenPace;
  /** How many results of the test there will be, once the sealed test has begun: nothing comes after it. */
  readonly announced?: number;
}

/**
 * Milliseconds until a run ends: the results that are still to come, each at the pace of its kind. How many come, rehearsals
 * say; how fast, the run itself, and rehearsals where it has not come to that work yet. Undefined where nothing was rehearsed.
 */
export function timeLeft({ forecast, passed, pace, announced }: Progress, now: number): number | undefined {
  if (forecast === undefined) return undefined;
  const expected = findMilestone(forecast, passed);
  if (expected === undefined) return undefined;
  const seenOf = (line: WorkLine): LinePace => pace.lines[line] ?? nothingSeen;
  let left = 0;
  for (const [at, { line, gapMs }] of forecast.lines.entries()) {
    const { done, counted, gapMs: seenMs } = seenOf(line);
    // what is done once, whenever there is time, is all still to come or not
    const had = onceStages.has(line.split(" ")[0] as Stage) ? expected.done[at] : passed.done[line];
    const thought = Math.max((expected.left[at] ?? 0) + (had ?? 0) - done, 0);
    const results =
      announced === undefined ? thought : line === "test target" ? Math.max(announced - done, thought) : 0;
    const prior = gapMs * slowerThan(forecast, line, seenOf);
    left += (results * (fewTimes * prior + seenMs)) / (fewTimes + counted);
  }
  const { gapMs, callMs, counted } = sumPace(Object.values(pace.lines));
  const silence = Math.max(now - pace.at, 0);
  // a call that takes longer than all others may take as long again
  if (counted > 0 && silence > (2 * callMs) / counted) return Math.max(left, silence);
  // the next result is under way; one that does not come makes nothing sooner
  return Math.max(left - Math.min(silence, gapMs / Math.max(counted, 1)), 0);
}

const onceStages: ReadonlySet<Stage> = new Set<Stage>([
  "preflight",
  "calibrate",
  "baseline",
  "confirm",
  "test",
]);

/** Fewer results than this say little about how fast they come. */
const fewTimes = 4;

/** How much longer the results of a line's role took than rehearsals thought. */
function slowerThan({ lines }: Forecast, line: WorkLine, seenOf: (line: WorkLine) => LinePace): number {
  const own = lines.filter((one) => one.line.split(" ")[1] === line.split(" ")[1]);
  const { gapMs } = sumPace(own.map((one) => seenOf(one.line)));
  const rehearsed = own.reduce((sum, one) => sum + seenOf(one.line).counted * one.gapMs, 0);
  const usual = own.reduce((sum, one) => sum + one.gapMs, 0) / own.length;
  return (gapMs + usual) / Math.max(rehearsed + usual, 1);
}
