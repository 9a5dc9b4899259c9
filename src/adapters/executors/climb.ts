/** Finds out how many parallel calls a server can handle: doubles them as long as more finish per second. */
export interface Climb {
  /** The maximum number of calls is in flight, and others wait. */
  full(now: number): void;
  /** The limit after a successful call. If none is waiting, it says nothing about the server. */
  success(limit: number, now: number, isFull: boolean): number;
  /** The limit after a call that took too long. */
  late(limit: number): number;
}

/** Also used by a fleet's lanes. */
export const climbRules = {
  /** Compared with the rate at half as many calls: 2 if the server had room for all of them, 1 if it had none. */
  leastRise: 1.25,
  /** Rounds before and after which a limit is judged. A round has as many finished calls as the limit. */
  leastRounds: 0.7,
  mostRounds: 3,
  /** Rounds before retrying a limit that brought no gain; doubled after each failed attempt. */
  leastPatience: 4,
  mostPatience: 64,
  /** The fewest finished calls a rate is based on, because some answers take ten times as long as others. */
  leastEnds: 8,
} as const;
const { leastRise, leastRounds, mostRounds, leastPatience, mostPatience, leastEnds } = climbRules;

export function createClimb(): Climb {
  /** The limit before the climb; missing until a first limit is measured. */
  let below: { readonly limit: number; readonly rate: number } | undefined;
  let isResting = false;
  let patience: number = leastPatience;
  let from: number | undefined;
  let ends = 0;

  const measureFrom = (now: number | undefined) => {
    from = now;
    ends = 0;
  };
  const climbFrom = (limit: number, rate: number): number => {
    below = { limit, rate };
    isResting = false;
    return 2 * limit;
  };
  const rest = () => {
    isResting = true;
    patience = Math.min(2 * patience, mostPatience);
  };

  /** Undefined as long as we can't tell. */
  function judge(limit: number, rate: number): number | undefined {
    if (isResting) return ends < Math.max(leastEnds, patience * limit) ? undefined : climbFrom(limit, rate);
    if (ends < Math.max(leastEnds, leastRounds * limit)) return undefined;
    if (below === undefined || rate >= leastRise * below.rate) {
      patience = leastPatience;
      return climbFrom(limit, rate);
    }
    if (ends < mostRounds * limit) return undefined;
    rest();
    return below.limit;
  }

  return {
    full(now) {
      from ??= now;
    },
    success(limit, now, isFull) {
      if (!isFull || from === undefined) {
        measureFrom(undefined);
        return limit;
      }
      ends += 1;
      const next = judge(limit, ends / Math.max(1, now - from));
      if (next !== undefined) measureFrom(now);
      return next ?? limit;
    },
    late(limit) {
      rest();
      measureFrom(undefined);
      return Math.max(1, Math.floor(limit / 2));
    },
  };
}
