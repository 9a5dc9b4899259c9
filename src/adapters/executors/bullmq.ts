import type { Redis } from "ioredis";
import { InfraError } from "../../core/errors.ts";
import type { EventBody } from "../../core/events.ts";
import { type Handlers, findHandler } from "../../core/work/handlers.ts";
import { hashJson } from "../../core/canonical.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Dispatch, Executed, Executor } from "../../core/ports/executor.ts";
import { noCost, readCost } from "../../core/cost.ts";
import type { Entry, Journal } from "../../core/ports/journal.ts";
import type { Role } from "../../core/ports/model.ts";
import type { FleetBudget } from "../fleet/fleet-budget.ts";
import { sealSettings } from "../fleet/fleet-job.ts";
import { fleetKeys } from "../fleet/fleet-keys.ts";
import { FailedUnit, type FleetLane, fleetLane } from "../fleet/fleet-lane.ts";
import type { FleetSeal } from "../fleet/fleet-seal.ts";
import { laneLimit } from "../fleet/lane-limit.ts";
import type { OwnLedger } from "../fleet/own-ledger.ts";
import { readWorkers } from "../fleet/read-workers.ts";
import { hearEvents } from "../fleet/told-events.ts";
import { type ClientPolicy, defaultPolicy, refusalOf } from "./local.ts";

export interface BullmqExecutorOptions {
  readonly redis: Redis;
  readonly run: string;
  readonly journal: Journal;
  readonly budget: FleetBudget;
  /** Enforces the caps, whatever Redis says. Missing inside a worker. */
  readonly ledger?: OwnLedger;
  readonly seal: FleetSeal;
  readonly clock: Clock;
  readonly handlers: Handlers;
  readonly emit: (event: EventBody) => void;
  /** Units in flight per provider and model, over all workers. @default "auto" */
  readonly concurrency?: number | "auto";
  /** The settings workers need for this run's units; inside a worker, the ones the coordinator published. */
  readonly settings: JsonObject;
  readonly isCoordinator: boolean;
  /** Once aborted, nothing new starts. */
  readonly signal: AbortSignal;
  /** Once aborted, we no longer wait for units in flight. */
  readonly hardSignal: AbortSignal;
  /** Called with the first error that no retry can fix: the whole run must stop. */
  readonly stop: (error: Error) => void;
  readonly policy?: Partial<ClientPolicy>;
}

export interface BullmqExecutor extends Executor {
  /** Resolves when no unit is in flight. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const sweepMs = 2000;
/** Workers forget a run whose coordinator has been gone this long. */
const runMs = 60_000;
const leastWindow = 64;
/** How often Redis may wrongly report a unit done or failed before we give the unit up. */
const mostHearsay = 6;
const hearsayMs = 50;

/** Hands units to workers on any machine. Their results come back through the shared journal. */
export async function bullmqExecutor(options: BullmqExecutorOptions): Promise<BullmqExecutor> {
  const { redis, run, journal, budget, ledger, seal, clock, handlers, emit, signal, hardSignal } = options;
  const { concurrency = "auto", settings, isCoordinator } = options;
  const settingsHash = hashJson(settings);
  const policy = { ...defaultPolicy, ...options.policy };
  const lanes = new Map<string, Promise<FleetLane>>();
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();
  let window = leastWindow;
  let hasWorkers = true;

  /** Units that crashed too many workers since this execution started. */
  const parked = new Map<string, Error>();
  await beThere();
  const heard = isCoordinator ? await hearEvents(redis, seal, run, hear) : undefined;
  await readWindow();
  const sweeping = sweepForever();
  signal.addEventListener("abort", () => void cancelAll(), { once: true });

  async function openLane(name: string): Promise<FleetLane> {
    await laneLimit(redis, name, policy).ask(run, concurrency, runMs);
    return fleetLane(redis, name, window, seal);
  }

  function laneFor(name: string): Promise<FleetLane> {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const lane = openLane(name);
    lanes.set(name, lane);
    lane.catch(() => lanes.delete(name));
    return lane;
  }

  async function beThere(): Promise<void> {
    if (isCoordinator) await redis.set(fleetKeys.run(run), sealSettings(seal, run, settings), "PX", runMs);
  }

  function hear(event: EventBody): void {
    // calls that an environment made on a worker
    if (event.type === "unit-end" && event.from === "provider") ledger?.settle(noCost, event.cost);
    emit(event);
  }

  async function readWindow(): Promise<void> {
    const workers = await readWorkers(redis);
    window = Math.max(leastWindow, 2 * workers.reduce((sum, { concurrency: most }) => sum + most, 0));
    if (!isCoordinator || workers.length > 0 === hasWorkers) return;
    hasWorkers = workers.length > 0;
    const message = hasWorkers ? "workers are running" : "no worker is running: start `whetstone worker`";
    emit({ type: "lane-change", lane: "fleet", state: hasWorkers ? "closed" : "open", limit: 0, message });
  }

  async function sweepForever(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await clock.sleep(sweepMs, closing.signal);
        await beThere();
        await ledger?.uphold();
        await readWindow();
        for (const [name, opened] of lanes) {
          const lane = await opened;
          await laneLimit(redis, name, policy).ask(run, concurrency, runMs);
          lane.setWindow(window);
          await lane.sweep();
        }
      } catch {
        // Redis or the journal is briefly away: the next round asks again
      }
    }
  }

  async function cancelAll(): Promise<void> {
    for (const lane of lanes.values())
      await lane.then((one) => one.cancel(signal.reason as Error)).catch(() => {});
  }

  async function execute(dispatch: Dispatch): Promise<Executed> {
    signal.throwIfAborted();
    const { unit, key } = dispatch;
    const handler = findHandler(handlers, unit);
    const lane = await laneFor(handler.lane(unit.input));
    signal.throwIfAborted();
    const known = parked.get(key);
    if (known !== undefined) throw known;
    if (ledger === undefined) return readExecuted(await sendUnit(dispatch, lane));
    const worst = handler.worst(unit.input);
    await ledger.reserve(worst).catch((error: Error) => {
      options.stop(error);
      throw error;
    });
    let booked = noCost;
    let isAllBooked = false;
    try {
      signal.throwIfAborted();
      const entry = await sendUnit(dispatch, lane);
      const executed = readExecuted(entry);
      if (entry.run === run && handler.metered !== true) booked = executed.cost;
      isAllBooked = handler.metered !== true && executed.tries === 1;
      return executed;
    } finally {
      // if the journal is briefly away, the next sweep reads it
      if (!isAllBooked) await ledger.catchUp().catch(() => {});
      ledger.settle(worst, booked);
    }
  }

  /** The unit's result. A message from Redis is only a reason to look in the journal. */
  async function sendUnit({ unit, key, place }: Dispatch, lane: FleetLane): Promise<Entry> {
    const laneName = findHandler(handlers, unit).lane(unit.input);
    const sent = { key, unit, place };
    const how = {
      run,
      settings: settingsHash,
      tries: policy.tries,
      urgency: place,
      isRecorded: async () => (await journal.get(key)) !== undefined,
    };
    for (let untrue = 0; ; untrue += 1) {
      const said = await lane.send(sent, how).then(
        (view) => {
          budget.hear(view);
        },
        (error: unknown) => error,
      );
      if (said !== undefined && !isHearsay(said))
        throw explain({ lane: laneName, role: place.role }, said, key);
      const entry = await readResult(key);
      if (entry !== undefined) return entry;
      if (untrue >= mostHearsay)
        throw isHearsay(said)
          ? said.failure.error
          : new InfraError("transport", "The worker's result isn't in this journal.");
      await clock.sleep(hearsayMs * 2 ** untrue, signal).catch(() => {});
      signal.throwIfAborted();
    }
  }

  function explain(
    { lane, role }: { readonly lane: string; readonly role: Role },
    thrown: unknown,
    key: string,
  ): unknown {
    if (!(thrown instanceof FailedUnit)) return thrown;
    const { error, budget: seen, isParked = false } = thrown.failure;
    if (isParked) parked.set(key, error);
    if (seen !== undefined) budget.hear(seen);
    if (error instanceof InfraError && !error.stopsRun) return error;
    const fatal = error instanceof InfraError ? refusalOf(lane, error, role) : error;
    if (!signal.aborted) options.stop(fatal);
    return fatal;
  }

  async function readResult(key: string): Promise<Entry | undefined> {
    const entry = await journal.get(key);
    // another run may be removed later; this entry preserves what we rely on
    if (entry !== undefined && entry.run !== run)
      await journal.write({ kind: "use", run, key, name: "", body: {} });
    return entry;
  }

  return {
    execute(dispatch) {
      const work = orGiveUp(execute(dispatch), hardSignal);
      running.add(work);
      const forget = () => running.delete(work);
      work.then(forget, forget);
      return work;
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
    async close() {
      closing.abort();
      await sweeping;
      for (const [name, opened] of lanes) {
        await (await opened).close();
        if (isCoordinator) await redis.hdel(fleetKeys.ceilings(name), run);
      }
      heard?.disconnect();
      if (isCoordinator) await redis.del(fleetKeys.run(run));
    },
  };
}

const isHearsay = (said: unknown): said is FailedUnit =>
  said instanceof FailedUnit && said.failure.isHearsay === true;

function readExecuted({ body }: Entry): Executed {
  return {
    output: body["output"] as Json,
    cost: readCost(body["cost"]),
    ms: Number(body["ms"]),
    tries: Number(body["tries"]),
  };
}

function orGiveUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
