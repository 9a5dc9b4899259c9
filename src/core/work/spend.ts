import { noCost, addCost, subtractCost, type Cost } from "../cost.ts";
import { WhetstoneError } from "../errors.ts";
import type { SpendCaps } from "../settings.ts";

/** Keeps the sum of spent and reserved costs under the caps at all times. */
export interface Spend {
  /**
   * Reserves the maximum cost of a call. Waits for other calls to settle if it doesn't fit; throws `spend-cap`
   * if nothing is in flight and it still doesn't fit.
   */
  reserve(worst: Cost): Promise<void>;
  /** Releases the reservation and books the actual cost. */
  settle(worst: Cost, actual: Cost): void;
  spent(): Cost;
}

export interface SpendOptions {
  readonly caps: SpendCaps;
  /** The cost booked by earlier executions of this run. */
  readonly already: Cost;
  /** Milliseconds since this execution started. */
  readonly elapsedMs: () => number;
}

interface Waiter {
  readonly worst: Cost;
  readonly admit: () => void;
  readonly refuse: (error: WhetstoneError) => void;
}

export function createSpend({ caps, already, elapsedMs }: SpendOptions): Spend {
  let spent = already;
  let reserved = noCost;
  let waiting: Waiter[] = [];

  function exceeded(worst: Cost): keyof SpendCaps | undefined {
    const total = addCost(addCost(spent, reserved), worst);
    if (caps.usd !== undefined && total.nanoUsd > Math.round(caps.usd * 1e9)) return "usd";
    if (caps.tokens !== undefined && total.tokens > caps.tokens) return "tokens";
    if (caps.calls !== undefined && total.calls > caps.calls) return "calls";
    if (caps.minutes !== undefined && elapsedMs() > caps.minutes * 60_000) return "minutes";
    return undefined;
  }

  /** First come, first served: small calls don't overtake large ones, so none waits forever. */
  function admitWaiting(): void {
    while (waiting.length > 0) {
      const next = waiting[0] as Waiter;
      const cap = exceeded(next.worst);
      if (cap !== undefined) {
        if (reserved.calls === 0) {
          const refused = waiting;
          waiting = [];
          for (const waiter of refused) waiter.refuse(capError(cap, caps[cap], spent));
        }
        return;
      }
      waiting.shift();
      reserved = addCost(reserved, next.worst);
      next.admit();
    }
  }

  return {
    reserve: (worst) =>
      new Promise<void>((admit, refuse) => {
        waiting.push({ worst, admit, refuse });
        admitWaiting();
      }),
    settle(worst, actual) {
      reserved = subtractCost(reserved, worst);
      spent = addCost(spent, actual);
      admitWaiting();
    },
    spent: () => spent,
  };
}

/** Names the cap that stops a run, and how to raise it. */
export const capError = (
  cap: string,
  limit: number | undefined,
  { nanoUsd, calls }: Pick<Cost, "nanoUsd" | "calls">,
): WhetstoneError =>
  new WhetstoneError(
    "spend-cap",
    `The next call could exceed the cap (${cap} ${limit}). Spent so far: ${formatUsd(nanoUsd)} and ${calls} calls.`,
    {
      hint: `Run the same command again with a higher --spend-${cap} (\`spend.${cap}\` in code): finished work is kept.`,
    },
  );

/** `$0.0123`, with as many digits as a person needs. */
export function formatUsd(nanoUsd: number): string {
  const usd = nanoUsd / 1e9;
  return `$${usd === 0 ? "0" : usd < 0.01 ? usd.toPrecision(2) : usd.toFixed(usd < 1 ? 3 : 2)}`;
}
