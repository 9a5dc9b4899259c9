import { WhetstoneError } from "../../src/index.ts";
import { type Cost, type Meter, addCost, noCost } from "../../src/ports.ts";

/** A meter with a cap that remembers what was set aside for each call, and what was booked. */
export function boundedMeter(usd: number) {
  const calls: { readonly worst: Cost; readonly booked: Cost }[] = [];
  let [spent, reserved] = [noCost, 0];
  const meter: Meter = {
    async begin(worst) {
      if (spent.nanoUsd + reserved + worst.nanoUsd > usd * 1e9)
        throw new WhetstoneError("spend-cap", `The cap of $${usd} is reached.`);
      reserved += worst.nanoUsd;
      return {
        async end(cost) {
          const booked = cost === "worst" ? worst : cost;
          reserved -= worst.nanoUsd;
          spent = addCost(spent, booked);
          calls.push({ worst, booked });
        },
      };
    },
  };
  return {
    meter,
    calls,
    spentUsd: () => spent.nanoUsd / 1e9,
    /** Calls that cost more than was set aside for them, in dollars or in tokens. */
    above: () =>
      calls.filter(({ worst, booked }) => booked.nanoUsd > worst.nanoUsd || booked.tokens > worst.tokens)
        .length,
  };
}
