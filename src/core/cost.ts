import type { Json } from "./json.ts";

/** The cost of one call, in integers so that sums don't depend on their order. */
export interface Cost {
  /** Billionths of a US dollar; each call is rounded up. */
  readonly nanoUsd: number;
  readonly tokens: number;
  readonly calls: number;
  /** How many of the tokens are an upper estimate because the server didn't count them. Missing where all are counted. */
  readonly estimated?: number;
}

export type CostUnit = Exclude<keyof Cost, "estimated">;

/**
 * The starting value for sums of costs.
 *
 * @example
 * const calls = [{ nanoUsd: 20, tokens: 100, calls: 1 }];
 * console.log(calls.reduce(addCost, noCost).nanoUsd);
 */
export const noCost: Cost = { nanoUsd: 0, tokens: 0, calls: 0 };

/**
 * The sum of two costs.
 *
 * @example
 * const calls = [{ nanoUsd: 20, tokens: 100, calls: 1 }];
 * console.log(calls.reduce(addCost, noCost).tokens);
 */
export const addCost = (a: Cost, b: Cost): Cost => ({
  nanoUsd: a.nanoUsd + b.nanoUsd,
  tokens: a.tokens + b.tokens,
  calls: a.calls + b.calls,
  ...((a.estimated ?? b.estimated) && { estimated: (a.estimated ?? 0) + (b.estimated ?? 0) }),
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

/** A cost read from a journal or a queue. An uncounted figure (`NaN`, which JSON writes as null) becomes 0. */
export function readCost(value: Json | undefined): Cost {
  if (isCounted(value)) return value as unknown as Cost;
  const { nanoUsd, tokens, calls } = (value ?? {}) as Partial<Record<keyof Cost, unknown>>;
  const isAmount = (amount: unknown) => typeof amount === "number" || amount === null;
  if (![nanoUsd, tokens, calls].every(isAmount))
    throw new TypeError(`${JSON.stringify(value)} isn't a cost.`);
  const count = (amount: unknown) => (Number.isFinite(amount) ? (amount as number) : 0);
  return { nanoUsd: count(nanoUsd), tokens: count(tokens), calls: count(calls) };
}

/** Whether all of a cost is known. Early versions recorded uncounted figures from users' own models. */
export function isCounted(value: Json | undefined): boolean {
  const { nanoUsd, tokens, calls } = (value ?? {}) as Partial<Record<keyof Cost, unknown>>;
  return [nanoUsd, tokens, calls].every(Number.isFinite);
}
