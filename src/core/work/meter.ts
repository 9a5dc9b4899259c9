import { hashJson } from "../canonical.ts";
import type { Meter } from "../ports/agent.ts";
import type { Journal } from "../ports/journal.ts";
import type { Spend } from "./spend.ts";

export interface MeterContext {
  readonly run: string;
  readonly journal: Journal;
  readonly spend: Spend;
}

/** Creates the meter for one try at a unit. Each call is reserved, recorded before it's made, and booked afterwards. */
export function createMeter(unit: string, { run, journal, spend }: MeterContext): Meter {
  let calls = 0;
  return {
    async begin(worst) {
      calls += 1;
      const base = { run, key: hashJson({ unit, call: calls }), name: "" };
      await spend.reserve(worst);
      try {
        await journal.write({ ...base, kind: "intent", body: { worst: { ...worst } } });
      } catch (error) {
        spend.settle(worst, worst);
        throw error;
      }
      return {
        async end(cost) {
          const booked = cost === "worst" ? worst : cost;
          spend.settle(worst, booked);
          await journal.write({ ...base, kind: "metered", body: { cost: { ...booked } } });
        },
      };
    },
  };
}
