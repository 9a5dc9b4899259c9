import { percent } from "../measure/percent.ts";
import type { Standing } from "./gate.ts";

/** A baseline at or above this leaves nothing to learn. */
const headroom = 0.95;

/** More steps without an edit that can be applied are paid for nothing. */
const mostDry = 4;

export const isDry = ({ dry }: { readonly dry: number }): boolean => dry >= mostDry;

/** Why a search that ran dry ends, until more is asked for. */
export const ranDry = (memory: { readonly dry: number }): string | undefined =>
  isDry(memory) ? `no edit of the last ${mostDry} steps could be applied` : undefined;

/** A search that ran dry begins to count again if more is asked for. */
export const askedForMore = <Memory extends { readonly dry: number }>(
  ended: string | undefined,
  memory: Memory,
): [string | undefined, Memory] => (isDry(memory) ? [undefined, { ...memory, dry: 0 }] : [ended, memory]);

/** Why the search should not go on, or undefined: the original is nearly perfect, or nothing can beat the incumbent. */
export function nothingToGain({ current, best, ended }: Standing): string | undefined {
  if (current.score === null) return undefined;
  if (best.step === 0 && current.score >= headroom) {
    return `the original already reaches ${percent(current.score)} on val, so there is nothing to learn here`;
  }
  return ended;
}
