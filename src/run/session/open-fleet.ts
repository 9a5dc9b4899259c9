import {
  type BullmqExecutor,
  type BullmqExecutorOptions,
  bullmqExecutor,
} from "../../adapters/executors/bullmq.ts";
import { fleetBudget } from "../../adapters/fleet/fleet-budget.ts";
import { fleetSeal } from "../../adapters/fleet/fleet-seal.ts";
import { openRedis } from "../../adapters/fleet/open-redis.ts";
import { type OwnLedger, ownLedger } from "../../adapters/fleet/own-ledger.ts";
import type { Fleet } from "../../config/resolve/resolved.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { type Cost, largerCost, noCost } from "../../core/cost.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { SpendCaps } from "../../core/settings.ts";
import type { Spend } from "../../core/work/spend.ts";

/** The coordinator's side of a fleet, for one execution of a run. */
export interface OpenFleet {
  openBudget(start: FleetBudgetStart): Promise<Spend>;
  /** The cost according to the whole journal, once nothing is in flight; if it's unreachable, the cost known here. */
  booked(): Promise<Cost>;
  executor(
    options: Omit<
      BullmqExecutorOptions,
      "redis" | "budget" | "ledger" | "seal" | "settings" | "isCoordinator"
    >,
  ): Promise<BullmqExecutor>;
  close(): Promise<void>;
}

export interface FleetBudgetStart {
  readonly caps: SpendCaps;
  readonly journal: Journal;
  /** The ledger's cost up to entry `after`. */
  readonly already: Cost;
  readonly after: number;
}

/** Opened before the ledger is read, so that it notices what workers of an earlier execution book in the meantime. */
export async function openFleet(
  { redis: url, insecureRedis, settings, secret }: Fleet,
  run: string,
  clock: Clock,
): Promise<OpenFleet> {
  const redis = await openRedis(url, { insecureRedis });
  const budget = fleetBudget(redis, run, "coordinator", clock);
  const version = await budget.version();
  const seal = fleetSeal(secret);
  let ledger: OwnLedger | undefined;
  const spent = () => largerCost(budget.spent(), ledger?.spent() ?? noCost);
  let executor: BullmqExecutor | undefined;
  return {
    async openBudget(start) {
      const { caps, already } = start;
      await budget.open({ caps, already, version });
      const own = ownLedger({ ...start, run, budget, clock });
      ledger = own;
      // after losing Redis, start from the journal again
      redis.on("ready", () => void own.upholdAll().catch(() => {}));
      return { ...budget, spent };
    },
    booked: async () => (await ledger?.booked().catch(spent)) ?? spent(),
    async executor(options) {
      const own = ledger === undefined ? {} : { ledger };
      executor = await bullmqExecutor({
        ...options,
        ...own,
        redis,
        budget,
        seal,
        settings,
        isCoordinator: true,
      });
      return executor;
    },
    async close() {
      await executor?.close();
      redis.disconnect();
    },
  };
}
