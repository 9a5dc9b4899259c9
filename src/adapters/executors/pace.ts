import type { Executed } from "../../core/ports/executor.ts";
import type { Role } from "../../core/ports/model.ts";

/** The speed of one lane's model, and the time limits that follow. For one process: another machine may be slower. */
export interface Pace {
  hear(role: Role, executed: Pick<Executed, "ms" | "cost">): void;
  /** The time limit for a try. Calls of one role are alike. Each further try gets twice as long. */
  deadlineMs(role: Role, nth: number): number;
  /** Roughly the most tokens a server of this speed could have read and written in that time. */
  readonly mostTokens: (ms: number) => number;
}

/** How many answers we look at; with fewer than `leastHeard` we can't tell yet. */
const [mostHeard, leastHeard] = [32, 4];
/** A multiple of the slowest: an answer may take ten times as long. */
const roomFor = 10;
const [leastMs, firstMs, mostMs] = [300_000, 600_000, 3_600_000];
/** A cached prompt is read at once, so a call can be faster than all calls before it. */
const fasterThanSeen = 2;

/** One for each lane. `callSeconds`: the user's setting, whatever the speed. */
export function createPaces(callSeconds: number | "auto" = "auto"): (lane: string) => Pace {
  const paces = new Map<string, Pace>();
  return (lane) => {
    const pace = paces.get(lane) ?? createPace(callSeconds);
    paces.set(lane, pace);
    return pace;
  };
}

function createPace(callSeconds: number | "auto"): Pace {
  const heard = new Map<Role, number[]>();
  let tokensPerMs = Number.POSITIVE_INFINITY;

  function measuredMs(role: Role): number {
    const times = heard.get(role) ?? [];
    return Math.max(times.length < leastHeard ? firstMs : leastMs, roomFor * Math.max(0, ...times));
  }

  return {
    hear(role, { ms, cost }) {
      const times = heard.get(role) ?? [];
      heard.set(role, [...times, ms].slice(-mostHeard));
      const speed = cost.tokens / Math.max(1, ms);
      tokensPerMs = Number.isFinite(tokensPerMs) ? Math.max(tokensPerMs, speed) : speed;
    },
    deadlineMs: (role, nth) =>
      callSeconds === "auto" ? Math.min(mostMs, measuredMs(role) * 2 ** (nth - 1)) : 1000 * callSeconds,
    mostTokens: (ms) => Math.ceil(fasterThanSeen * tokensPerMs * Math.max(1, ms)),
  };
}
