import type { Stage } from "../place.ts";
import type { Role } from "../ports/model.ts";
import { type Forecast, type ForecastMilestone, type PassedMilestone, findMilestone } from "./forecast.ts";
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
 * say, corrected by how many came so far; how fast, the run itself, and rehearsals where it has not come to that work yet.
 * Undefined where nothing was rehearsed.
 */
export function timeLeft({ forecast, passed, pace, announced }: Progress, now: number): number | undefined {
  if (forecast === undefined) return undefined;
  const expected = findMilestone(forecast, passed);
  if (expected === undefined) return undefined;
  const paceOf = measurePace(forecast, pace);
  let [left, tail] = [0, 0];
  for (const [at, { line }] of forecast.lines.entries()) {
    const had = passed.done[line] ?? 0;
    const came = pace.lines[line]?.done ?? 0;
    const isThere = expected.after === passed.after;
    const thought = resultsLeft(line, { came, had, at, expected, isThere });
    const results =
      announced === undefined ? thought : line === "test target" ? Math.max(announced - came, thought) : 0;
    left += results * paceOf(at);
    // the last calls of a kind are waited for, however many there were beside them
    const { counted, callMs } = pace.lines[line] ?? nothingSeen;
    if (results > 0.5) tail = Math.max(tail, callMs / Math.max(counted, 1) / 2);
  }
  const { gapMs, callMs, counted } = sumPace(Object.values(pace.lines));
  const silence = Math.max(now - pace.at, 0);
  // a call that takes longer than all others may take as long again
  if (counted > 0 && silence > (2 * callMs) / counted) return Math.max(left, silence);
  // the next result is under way; one that does not come makes nothing sooner
  const waited = Math.min(silence, gapMs / Math.max(counted, 1));
  return Math.max(left - waited, tail - waited, 0);
}

interface Counts {
  readonly came: number;
  /** Of these, at the milestone. */
  readonly had: number;
  readonly at: number;
  readonly expected: ForecastMilestone;
  readonly isThere: boolean;
}

/** How many more results of a line will come. */
function resultsLeft(line: WorkLine, { came, had, at, expected, isThere }: Counts): number {
  const [before = 0, soon = 0, left = 0] = [expected.done[at], expected.soon[at], expected.left[at]];
  // what is done once, whenever there is time, is all still to come or not
  if (onceStages.has(line.split(" ")[0] as Stage)) return Math.max(before + left - came, 0);
  const more = isThere ? Math.min(Math.max((had + fewResults) / (before + fewResults), 1 / 4), 4) : 1;
  return Math.max(more * soon - (came - had), 0) + more * (left - soon);
}

const onceStages: ReadonlySet<Stage> = new Set<Stage>(["preflight", "baseline", "confirm", "test"]);

/** Fewer results than this say little about how many are to come. */
const fewResults = 2;
/** And fewer than this little about how fast they come. */
const fewTimes = 4;

/** Milliseconds of the run that one result of a line takes. */
function measurePace({ lines, milestones }: Forecast, { lines: seen }: SeenPace): (at: number) => number {
  const seenOf = (line: keyof typeof seen): LinePace => seen[line] ?? nothingSeen;
  const roleOf = (line: string) => line.split(" ")[1] as Role;
  const byRole = Map.groupBy(lines, ({ line }) => roleOf(line));
  const priors = new Map(
    [...byRole].map(([role, own]) => {
      const all = sumPace(own.map(({ line }) => seenOf(line)));
      const sum = (pick: (line: Forecast["lines"][number]) => number) =>
        own.reduce((total, one) => total + seenOf(one.line).counted * pick(one), 0);
      const usual = own.reduce((total, { callMs }) => total + callMs, 0) / own.length;
      // how slow its calls are, and how few go on beside each other, against the rehearsals
      const slow = (all.callMs + usual) / Math.max(sum(({ callMs }) => callMs) + usual, 1);
      const rehearsed = slow * sum(({ gapMs }) => gapMs);
      const crowd = all.counted < fewTimes || rehearsed === 0 ? 1 : all.gapMs / rehearsed;
      const densest = Math.min(
        ...own.flatMap(({ line }) => {
          const { counted, gapMs } = seenOf(line);
          return counted < fewTimes ? [] : [gapMs / counted];
        }),
      );
      // where fewer calls go on at a time than was thought, nothing comes faster than what came fastest
      const prior = (gapMs: number) =>
        crowd > crowded && Number.isFinite(densest) ? Math.max(slow * gapMs, densest) : slow * gapMs * crowd;
      return [role, prior] as const;
    }),
  );
  return (at) => {
    const one = lines[at];
    if (one === undefined) return 0;
    const { counted, gapMs } = seenOf(one.line);
    const prior = priors.get(roleOf(one.line))?.(one.gapMs) ?? one.gapMs;
    // of work that comes a few times in a run, each time tells much
    const [first] = milestones;
    const doubt = Math.min(fewTimes, (first?.left[at] ?? 0) / 10);
    return (doubt * prior + gapMs) / Math.max(doubt + counted, 1e-3);
  };
}

const crowded = 1.3;
