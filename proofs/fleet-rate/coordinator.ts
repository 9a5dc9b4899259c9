import { Redis } from "ioredis";
import { type Journal, noCost, unitKey } from "../../src/ports.ts";
import { type BullmqExecutor, bullmqExecutor } from "../../src/adapters/executors/bullmq.ts";
import { fleetBudget } from "../../src/adapters/fleet/fleet-budget.ts";
import { fleetSeal } from "../../src/adapters/fleet/fleet-seal.ts";
import { fastClock } from "../support/fast-clock.ts";
import { waitingHandlers, waitingUnit } from "./waiting-unit.ts";

export interface Coordinator extends AsyncDisposable {
  /** As a run does: look the unit up, else send it. Gives how many a second. */
  rate(count: number, ms: number): Promise<number>;
}

/** The coordinator of a run whose units wait. */
export async function openCoordinator(
  url: string,
  journal: Journal,
  run: string,
  concurrency: number | "auto",
): Promise<Coordinator> {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const budget = fleetBudget(redis, run, "coordinator", fastClock(1));
  await budget.open({ caps: { calls: 100_000_000 }, already: noCost, version: await budget.version() });
  const never = new AbortController().signal;
  const executor: BullmqExecutor = await bullmqExecutor({
    redis,
    run,
    journal,
    budget,
    clock: fastClock(1),
    handlers: waitingHandlers,
    emit: () => {},
    concurrency,
    seal: fleetSeal(process.env["WHETSTONE_FLEET_SECRET"] ?? ""),
    settings: {},
    isCoordinator: true,
    signal: never,
    hardSignal: never,
    stop: (error) => {
      throw error;
    },
  });
  let sent = 0;
  const send = async (ms: number): Promise<void> => {
    sent += 1;
    const unit = waitingUnit(`${run} ${sent}`, ms);
    const key = unitKey(unit);
    if ((await journal.get(key)) !== undefined) throw new Error("The unit was there already.");
    await executor.execute({ unit, key, place: { role: "target", step: 0, stage: "rollout" } });
  };
  return {
    async rate(count, ms) {
      const started = performance.now();
      await Promise.all(Array.from({ length: count }, () => send(ms)));
      return (1000 * count) / (performance.now() - started);
    },
    async [Symbol.asyncDispose]() {
      await executor.close();
      redis.disconnect();
    },
  };
}
