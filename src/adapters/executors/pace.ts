import type { Executed } from "../../core/ports/executor.ts";
import type { Role } from "../../core/ports/model.ts";

/** How fast the model of one lane has been, and what follows from it. Of one process: a machine of its own may be slower. */
export interface Pace {
  hear(role: Role, executed: Pick<Executed, "ms" | "cost">): void;
  /** How long a try may take: calls of one role are alike. Each further try gets twice as long. */
  deadlineMs(role: Role, nth: number): number;
  /** About the most tokens that a server of this speed can have read and written in so long. */
  readonly mostTokens: (ms: number) => number;
}

/** Answers that are looked at; with fewer than `leastHeard` nobody knows yet. */
const [mostHeard, leastHeard] = [32, 4];
/** Of the slowest of them: an answer may take ten times as long. */
const roomFor = 10;
const [leastMs, firstMs, mostMs] = [300_000, 600_000, 3_600_000];
/** A prompt in the cache is read at once, so a call can be faster than all before it. */
const fasterThanSeen = 2;

/** Of each lane its own. `callSeconds`: as somebody wants it, whatever the speed. */
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
