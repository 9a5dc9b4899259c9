/** Finds out how many calls a server can work on at a time: twice as many, as long as more of them end per second. */
export interface Climb {
  /** As many calls as may be are in flight, and others wait. */
  full(now: number): void;
  /** The limit after a call that ended well. Where nobody waits, it says nothing of the server. */
  success(limit: number, now: number, isFull: boolean): number;
  /** The limit after a call that took too long. */
  late(limit: number): number;
}

/** Also of the lanes of a fleet. */
export const climbRules = {
  /** Of the rate at half as many calls in flight: 2 where the server has room for all of them, 1 where it has not. */
  leastRise: 1.25,
  /** Rounds before and after which a limit is judged; a round is as many ends as calls may be in flight. */
  leastRounds: 0.7,
  mostRounds: 3,
  /** Rounds before a limit that did not rise is tried again: doubled with each time in vain. */
  leastPatience: 4,
  mostPatience: 64,
  /** Ends that a rate rests on at least: some answers take ten times as long as others. */
  leastEnds: 8,
} as const;
const { leastRise, leastRounds, mostRounds, leastPatience, mostPatience, leastEnds } = climbRules;

export function createClimb(): Climb {
  /** Where the climb came from; missing until a first limit is measured. */
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

  /** Undefined as long as nothing can be said. */
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
