import type { Stage } from "../place.ts";
import type { Role } from "../ports/model.ts";

/** One kind of work: what one stage asks of one role. */
export type WorkLine = `${Stage} ${Role}`;

/** What results of one kind took. All but `done` fade, so that a pace that changes is soon seen. */
export interface LinePace {
  /** Results that were bought. */
  readonly done: number;
  /** As many of them as still count. */
  readonly counted: number;
  /** Milliseconds of the run that they account for. */
  readonly gapMs: number;
  /** Milliseconds of their calls: more, where calls go on beside each other. */
  readonly callMs: number;
}

export interface BoughtResult {
  readonly stage: Stage;
  readonly role: Role;
  /** When it came. */
  readonly at: number;
  /** How long its call took. */
  readonly ms: number;
  /** How many results it stands for. @default 1 */
  readonly count?: number;
}

/**
 * How fast results come. The time since the result before belongs to the one that ended it: so calls beside each other share
 * it, and a call that everybody waits for has it all.
 */
export interface PaceClock {
  add(result: BoughtResult): void;
  /** What happened until now took no time of anybody: results were read, not bought. */
  skipTo(at: number): void;
  /** When the last result came, and what was seen until then. */
  seen(): SeenPace;
}

export interface SeenPace {
  readonly at: number;
  readonly lines: Readonly<Partial<Record<WorkLine, LinePace>>>;
}

/** `memory`: so many results of a role count, the latest most. */
export function createPaceClock(start: number, memory = Number.POSITIVE_INFINITY): PaceClock {
  const lines = new Map<WorkLine, LinePace>();
  const keep = 1 - 1 / memory;
  let last = start;
  return {
    add({ stage, role, at, ms, count = 1 }) {
      // what a model took long ago, for whichever stage, says little about it now
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

/** Results a minute, of late; undefined before the first. */
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
