const hoursOf = { h: 1, d: 24, w: 168 } as const;

/** `all`, or a number of hours, days or weeks. */
export const lookbackPattern = /^(?:all|\d{1,5}[hdw])$/;

/** Nothing before this instant is read: `72h`, `30d` and `8w` count back from now, and `all` is the beginning. */
export function lookbackStart(lookback: string, now: number): number {
  const [, count, unit] = /^(\d+)([hdw])$/.exec(lookback) ?? [];
  return unit === undefined ? 0 : now - Number(count) * hoursOf[unit as keyof typeof hoursOf] * 3_600_000;
}
