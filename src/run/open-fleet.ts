import {
  type BullmqExecutor,
  type BullmqExecutorOptions,
  bullmqExecutor,
} from "../adapters/executors/bullmq.ts";
import { type FleetBudget, fleetBudget } from "../adapters/fleet/fleet-budget.ts";
import { openRedis } from "../adapters/fleet/open-redis.ts";
import type { Fleet } from "../config/resolved.ts";
import { hashJson } from "../core/canonical.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { SpendCaps } from "../core/settings.ts";

/** The coordinator's side of a fleet, for one execution of a run. */
export interface OpenFleet {
  /** `readSpent` is what the ledger says now; asked for again when Redis was away, which may have forgotten a second. */
  openBudget(caps: SpendCaps, already: Cost, readSpent: () => Promise<Cost>): Promise<FleetBudget>;
  executor(options: Omit<BullmqExecutorOptions, "redis" | "budget" | "settings">): Promise<BullmqExecutor>;
  close(): Promise<void>;
}

/** Opened before the ledger is read: what workers of an earlier execution book meanwhile is noticed. */
export async function openFleet(
  { redis: url, settings }: Fleet,
  run: string,
  clock: Clock,
): Promise<OpenFleet> {
  const redis = await openRedis(url);
  const budget = fleetBudget(redis, run, "coordinator", clock);
  const version = await budget.version();
  let executor: BullmqExecutor | undefined;
  return {
    async openBudget(caps, already, readSpent) {
      const started = clock.now();
      await budget.open({ caps, already, version });
      redis.on("ready", () => {
        const { minutes, ...rest } = caps;
        const left = minutes === undefined ? {} : { minutes: minutes - (clock.now() - started) / 60_000 };
        const again = async () => {
          const seen = await budget.version();
          await budget.open({ caps: { ...rest, ...left }, already: await readSpent(), version: seen });
        };
        // the next loss, or the next execution, begins from the ledger too
        again().catch(() => {});
      });
      return budget;
    },
    async executor(options) {
      const named = { hash: hashJson(settings).slice(0, 16), json: settings };
      executor = await bullmqExecutor({ ...options, redis, budget, settings: named });
      return executor;
    },
    async close() {
      await executor?.close();
      redis.disconnect();
    },
  };
}
