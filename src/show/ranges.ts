import type { Range } from "../core/rehearse/range.ts";
import { formatUsd } from "../core/work/spend.ts";
import { short } from "./format.ts";

/** `12–40`, or one number. */
export function countRange({ low, high }: Range): string {
  const [from, to] = [Math.round(low), Math.round(high)];
  return from === to ? `${from}` : `${from}–${to}`;
}

export function tokenRange({ low, high }: Range): string {
  const [from, to] = [short(Math.round(low)), short(Math.round(high))];
  return from === to ? from : `${from}–${to}`;
}

/** In the unit a person would choose. */
export function timeRange({ low, high }: Range): string {
  const [unit, word] =
    high < 120_000 ? [1000, "seconds"] : high < 7_200_000 ? [60_000, "minutes"] : [3_600_000, "hours"];
  const shown = (ms: number) => (ms / unit).toFixed(ms < 10 * unit && unit > 1000 ? 1 : 0);
  return low === high ? `about ${shown(low)} ${word}` : `${shown(low)}–${shown(high)} ${word}`;
}

/** Smaller amounts don't matter to anybody. */
const smallest = 1e6;

export function usdRange({ low, high }: Range): string {
  if (high < smallest && high > 0) return `under ${formatUsd(smallest)}`;
  const [from, to] = [formatUsd(low), formatUsd(high)];
  return from === to ? from : `${from}–${to}`;
}
