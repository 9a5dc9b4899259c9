import { percent } from "../measure/percent.ts";
import type { Standing } from "./gate.ts";

/** A baseline at or above this leaves nothing to learn. */
const headroom = 0.95;

/** More consecutive steps without an applicable edit would be wasted money. */
const mostDry = 4;

export const isDry = ({ dry }: { readonly dry: number }): boolean => dry >= mostDry;

/** Why a search ends after too many steps without an applicable edit, until more is requested. */
export const ranDry = (memory: { readonly dry: number }): string | undefined =>
  isDry(memory) ? `no edit of the last ${mostDry} steps could be applied` : undefined;

/** Resets the count when more is requested of such a search. */
export const askedForMore = <Memory extends { readonly dry: number }>(
  ended: string | undefined,
  memory: Memory,
): [string | undefined, Memory] => (isDry(memory) ? [undefined, { ...memory, dry: 0 }] : [ended, memory]);

/** Why the search should stop, or undefined: the original is nearly perfect, or nothing can beat the incumbent. */
export function nothingToGain({ current, best, ended }: Standing): string | undefined {
  if (current.score === null) return undefined;
  if (best.step === 0 && current.score >= headroom) {
    return `the original already reaches ${percent(current.score)} on val, so there's nothing to learn here`;
  }
  return ended;
}
