import { type Cost, type Meter, noCost } from "../../src/ports.ts";
import { createSpend } from "../../src/core/work/spend.ts";

/** A meter under a real cap that remembers what was set aside for each call, and what was booked. */
export function boundedMeter(usd: number) {
  const spend = createSpend({ caps: { usd }, already: noCost, elapsedMs: () => 0 });
  const calls: { readonly worst: Cost; readonly booked: Cost }[] = [];
  const meter: Meter = {
    async begin(worst) {
      await spend.reserve(worst);
      return {
        async end(cost) {
          const booked = cost === "worst" ? worst : cost;
          spend.settle(worst, booked);
          calls.push({ worst, booked });
        },
      };
    },
  };
  return {
    meter,
    calls,
    spentUsd: () => spend.spent().nanoUsd / 1e9,
    /** Calls that cost more than was set aside for them, in dollars or in tokens. */
    above: () =>
      calls.filter(({ worst, booked }) => booked.nanoUsd > worst.nanoUsd || booked.tokens > worst.tokens)
        .length,
  };
}
