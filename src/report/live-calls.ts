import type { RunEvent } from "../core/events.ts";
import type { Stage } from "../core/place.ts";
import type { Role } from "../core/ports/model.ts";

/** Facts only available during a run: calls in flight, failed tries, and the rate of results. */
export interface LiveCalls {
  add(event: RunEvent): void;
  /** Calls in flight, most first; when the oldest one began; and how many failed calls are waiting for a retry. */
  inFlight(): {
    readonly groups: readonly CallGroup[];
    readonly oldestAt: number | undefined;
    readonly retrying: number;
  };
  /** Failed tries by class, most first, with the last message of each. */
  failures(): readonly FailureClass[];
  /** Results per second over the last ten seconds; undefined before the first one. */
  rate(stage: Stage, now: number): number | undefined;
}

export interface CallGroup {
  readonly role: Role;
  readonly stage: Stage;
  readonly count: number;
}

export interface FailureClass {
  readonly class: string;
  readonly count: number;
  readonly message: string;
}

const windowSeconds = 10;

export function createLiveCalls(): LiveCalls {
  const out = new Map<string, { readonly role: Role; readonly stage: Stage; readonly at: number }>();
  const retrying = new Set<string>();
  const failed = new Map<string, FailureClass>();
  const pace = new Map<Stage, Pace>();
  return {
    add(event) {
      switch (event.type) {
        case "try-start":
          out.set(event.key, event);
          retrying.delete(event.key);
          return;
        case "try-failed": {
          const { class: name, message, key } = event;
          out.delete(key);
          retrying.add(key);
          // a refused prompt is reported as an unusable reply
          if (name !== "prompt-refused")
            failed.set(name, { class: name, count: (failed.get(name)?.count ?? 0) + 1, message });
          return;
        }
        case "stage-start":
          pace.set(event.stage, { from: event.at, bySecond: new Map() });
          return;
        case "unit-pending":
        case "unit-end":
          out.delete(event.key);
          retrying.delete(event.key);
          if (event.type === "unit-end" && event.from === "provider") countEnd(pace, event);
      }
    },
    inFlight() {
      const groups = new Map<string, CallGroup>();
      let oldestAt: number | undefined;
      for (const { role, stage, at } of out.values()) {
        const name = `${role} ${stage}`;
        groups.set(name, { role, stage, count: (groups.get(name)?.count ?? 0) + 1 });
        oldestAt = Math.min(oldestAt ?? at, at);
      }
      return {
        groups: [...groups.values()].toSorted((a, b) => b.count - a.count),
        oldestAt,
        retrying: retrying.size,
      };
    },
    failures: () => [...failed.values()].toSorted((a, b) => b.count - a.count),
    rate(stage, now) {
      const known = pace.get(stage);
      if (known === undefined || known.bySecond.size === 0) return undefined;
      const first = Math.floor(now / 1000) - windowSeconds;
      let results = 0;
      for (const [second, ends] of known.bySecond) if (second > first) results += ends;
      const seconds = Math.min(now - known.from, windowSeconds * 1000) / 1000;
      return results / Math.max(seconds, 1);
    },
  };
}

interface Pace {
  readonly from: number;
  /** Results by the second they came in. */
  readonly bySecond: Map<number, number>;
}

/** Background work may end before its stage has begun. */
function countEnd(
  pace: Map<Stage, Pace>,
  { stage, at }: { readonly stage: Stage; readonly at: number },
): void {
  const known = pace.get(stage) ?? { from: at, bySecond: new Map<number, number>() };
  pace.set(stage, known);
  const second = Math.floor(at / 1000);
  known.bySecond.set(second, (known.bySecond.get(second) ?? 0) + 1);
  if (known.bySecond.size > windowSeconds + 1) {
    const [oldest = second] = known.bySecond.keys();
    known.bySecond.delete(oldest);
  }
}
