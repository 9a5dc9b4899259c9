/** The fixed order in which an exact stop comes soonest: tasks that the incumbent failed come first. */
export const orderForStop = (incumbent: readonly number[]): number[] =>
  [...incumbent.keys()].toSorted((a, b) => (incumbent[a] ?? 0) - (incumbent[b] ?? 0));
