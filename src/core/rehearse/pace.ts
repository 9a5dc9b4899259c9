import type { Stage } from "../place.ts";
import type { Role } from "../ports/model.ts";

/** One kind of work: the calls of one stage to one role. */
export type WorkLine = `${Stage} ${Role}`;

/** The pace of one kind of work. Everything but `done` fades, so that a change in pace soon shows. */
export interface LinePace {
  /** Results bought so far. */
  readonly done: number;
  /** Their number after fading. */
  readonly counted: number;
  /** Milliseconds of the run that they account for. */
  readonly gapMs: number;
  /** Milliseconds of their calls. It's more than `gapMs` if calls run in parallel. */
  readonly callMs: number;
}

export interface BoughtResult {
  readonly stage: Stage;
  readonly role: Role;
  /** The time it came. */
  readonly at: number;
  /** The duration of its call. */
  readonly ms: number;
  /** How many results it represents. @default 1 */
  readonly count?: number;
}

/**
 * Measures how fast results come. The time since the last result is counted for the next one. So parallel calls share
 * the time, and a call that everything waits for gets all of it.
 */
export interface PaceClock {
  add(result: BoughtResult): void;
  /** The time until now doesn't count: results were read, not bought. */
  skipTo(at: number): void;
  /** The time of the last result, and the pace measured until then. */
  seen(): SeenPace;
}

export interface SeenPace {
  readonly at: number;
  readonly lines: Readonly<Partial<Record<WorkLine, LinePace>>>;
}

/** `memory`: about how many of a role's latest results count. */
export function createPaceClock(start: number, memory = Number.POSITIVE_INFINITY): PaceClock {
  const lines = new Map<WorkLine, LinePace>();
  const keep = 1 - 1 / memory;
  let last = start;
  return {
    add({ stage, role, at, ms, count = 1 }) {
      // a model's old timings, in any stage, say little about its pace now
      for (const [other, seen] of lines) if (other.endsWith(` ${role}`)) lines.set(other, fade(seen, keep));
      const line: WorkLine = `${stage} ${role}`;
      const { done, counted, gapMs, callMs } = lines.get(line) ?? nothingSeen;
      lines.set(line, {
        done: done + count,
        counted: counted + count,
        gapMs: gapMs + Math.max(at - last, 0),
        callMs: callMs + ms,
      });
      last = Math.max(at, last);
    },
    skipTo(at) {
      last = Math.max(at, last);
    },
    seen: () => ({ at: last, lines: Object.fromEntries(lines) }),
  };
}

const fade = ({ done, counted, gapMs, callMs }: LinePace, keep: number): LinePace => ({
  done,
  counted: keep * counted,
  gapMs: keep * gapMs,
  callMs: keep * callMs,
});

export const nothingSeen: LinePace = { done: 0, counted: 0, gapMs: 0, callMs: 0 };

/** Recent results per minute; undefined before the first. */
export function resultsPerMinute({ lines }: SeenPace): number | undefined {
  const { counted, gapMs } = sumPace(Object.values(lines));
  return counted === 0 ? undefined : (60_000 * counted) / Math.max(gapMs, 1);
}

export const sumPace = (paces: readonly LinePace[]): LinePace =>
  paces.reduce(
    (sum, one) => ({
      done: sum.done + one.done,
      counted: sum.counted + one.counted,
      gapMs: sum.gapMs + one.gapMs,
      callMs: sum.callMs + one.callMs,
    }),
    nothingSeen,
  );
