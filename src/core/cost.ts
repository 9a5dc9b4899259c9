import type { Json } from "./json.ts";

/** What one call costs: integers, so that sums do not depend on their order. */
export interface Cost {
  /** Billionths of a US dollar, each call rounded up. */
  readonly nanoUsd: number;
  readonly tokens: number;
  readonly calls: number;
}

/**
 * What sums of costs begin with.
 *
 * @example
 * const calls = [{ nanoUsd: 20, tokens: 100, calls: 1 }];
 * console.log(calls.reduce(addCost, noCost).nanoUsd);
 */
export const noCost: Cost = { nanoUsd: 0, tokens: 0, calls: 0 };

/**
 * The two together.
 *
 * @example
 * const calls = [{ nanoUsd: 20, tokens: 100, calls: 1 }];
 * console.log(calls.reduce(addCost, noCost).tokens);
 */
export const addCost = (a: Cost, b: Cost): Cost => ({
  nanoUsd: a.nanoUsd + b.nanoUsd,
  tokens: a.tokens + b.tokens,
  calls: a.calls + b.calls,
});

export const subtractCost = (a: Cost, b: Cost): Cost => ({
  nanoUsd: a.nanoUsd - b.nanoUsd,
  tokens: a.tokens - b.tokens,
  calls: a.calls - b.calls,
});

export const largerCost = (a: Cost, b: Cost): Cost => ({
  nanoUsd: Math.max(a.nanoUsd, b.nanoUsd),
  tokens: Math.max(a.tokens, b.tokens),
  calls: Math.max(a.calls, b.calls),
});

/** A cost out of a journal or a queue. */
export function readCost(value: Json | undefined): Cost {
  const cost = value as Partial<Cost> | null | undefined;
  if (typeof cost?.nanoUsd === "number" && typeof cost.tokens === "number" && typeof cost.calls === "number")
    return cost as Cost;
  throw new TypeError(`${JSON.stringify(value)} is not a cost.`);
}
