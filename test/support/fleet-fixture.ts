import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "../../src/core/place.ts";
import type { EventBody } from "../../src/core/events.ts";
import { type UnitHandler, createHandlers } from "../../src/core/work/handlers.ts";
import type { Json } from "../../src/core/json.ts";
import type { Clock } from "../../src/core/ports/clock.ts";
import type { Executed } from "../../src/core/ports/executor.ts";
import { type Cost, noCost } from "../../src/core/cost.ts";
import type { Journal } from "../../src/core/ports/journal.ts";
import type { SpendCaps } from "../../src/core/settings.ts";
import { type Unit, unitKey } from "../../src/core/work/unit.ts";
import { type BullmqExecutorOptions, bullmqExecutor } from "../../src/adapters/executors/bullmq.ts";
import { sqliteJournal } from "../../src/adapters/journals/sqlite/sqlite.ts";
import { type FleetBudget, fleetBudget } from "../../src/adapters/fleet/fleet-budget.ts";
import {
  type FleetWorker,
  type FleetWorkerOptions,
  fleetWorker,
} from "../../src/adapters/fleet/fleet-worker.ts";
import { openRedis } from "../../src/adapters/fleet/open-redis.ts";
import { sealForTest } from "./fleet-sealing.ts";

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};

export interface CoordinatorForTest {
  /** Units of one block travel together. */
  run(name: string, place?: Partial<Place>): Promise<Executed>;
  readonly budget: FleetBudget;
  readonly events: readonly EventBody[];
  readonly stopped: readonly Error[];
  readonly stopping: AbortController;
  close(): Promise<void>;
}

export interface FleetForTest extends AsyncDisposable {
  readonly dir: string;
  readonly journal: Journal;
  coordinator(run: string, options?: CoordinatorOptions): Promise<CoordinatorForTest>;
  worker(handler: UnitHandler, options?: Partial<FleetWorkerOptions>): Promise<FleetWorker>;
}

export interface CoordinatorOptions extends Partial<BullmqExecutorOptions> {
  readonly caps?: SpendCaps;
}

/** A shared journal in a folder, and coordinators and workers of this process around one Redis. */
export async function fleetForTest(redis: string): Promise<FleetForTest> {
  const dir = mkdtempSync(join(tmpdir(), "whetstone-fleet-"));
  const journal = await sqliteJournal({ dir });
  const ends: (() => Promise<void>)[] = [];
  const once = (end: () => Promise<void>) => {
    let ended: Promise<void> | undefined;
    const call = () => (ended ??= end());
    ends.unshift(call);
    return call;
  };
  return {
    dir,
    journal,
    async coordinator(run, { caps = {}, ...options } = {}) {
      const connection = await openRedis(redis);
      const budget = fleetBudget(connection, run, "coordinator", clock);
      await budget.open({ caps, already: noCost, version: await budget.version() });
      const events: EventBody[] = [];
      const stopped: Error[] = [];
      const stopping = new AbortController();
      const executor = await bullmqExecutor({
        redis: connection,
        run,
        journal,
        budget,
        clock,
        handlers: createHandlers([testHandler(async () => "")]),
        emit: (event) => events.push(event),
        seal: sealForTest,
        settings: { dir },
        isCoordinator: true,
        signal: stopping.signal,
        hardSignal: new AbortController().signal,
        stop: (error) => stopped.push(error),
        ...options,
      });
      return {
        run: (name, place = {}) =>
          executor.execute({
            unit: testUnit(name),
            key: unitKey(testUnit(name)),
            place: { role: "target", step: 0, stage: "rollout", ...place },
          }),
        budget,
        events,
        stopped,
        stopping,
        close: once(async () => {
          await executor.close();
          connection.disconnect();
        }),
      };
    },
    async worker(handler, options = {}) {
      const worker = await fleetWorker({
        redis,
        seal: sealForTest,
        concurrency: 20,
        clock,
        lockMs: 1000,
        hardSignal: new AbortController().signal,
        openRun: async () => ({ handlers: createHandlers([handler]), journal, close: async () => {} }),
        policy: { backoffMs: 20 },
        ...options,
      });
      return { ...worker, drain: once(() => worker.drain()) };
    },
    async [Symbol.asyncDispose]() {
      for (const end of ends) await end();
      await journal.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export const testUnit = (name: string): Unit => ({
  kind: "test",
  version: 1,
  input: { name },
  draw: { purpose: "train", trial: 0 },
});

/** Units of one lane, each costing 10 at most and 1 in truth. */
export function testHandler(run: (name: string) => Promise<string>, lane = "scripted/target"): UnitHandler {
  const worst: Cost = { nanoUsd: 10, tokens: 10, calls: 1 };
  return {
    kind: "test",
    version: 1,
    lane: () => lane,
    worst: () => worst,
    async run(input: Json) {
      const { name } = input as { readonly name: string };
      return { output: await run(name), cost: { nanoUsd: 1, tokens: 1, calls: 1 } };
    },
  };
}
